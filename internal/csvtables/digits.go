package csvtables

import (
	"encoding/binary"
	"math/bits"
)

const (
	ones       = 0x01_01_01_01_01_01_01_01 // eight octets 1
	asciiZeros = '0' * ones                // eight digits 0
)

// digits8 returns the eight decimal digits of u < 10^8, each in an octet of its
// own as a number, the first in the lowest one. Tables of millions of rows are
// mostly digits, and to split all eight at once takes three multiplications
// instead of a loop of divisions.
func digits8(u uint64) uint64 {
	x := u/10_000 | u%10_000<<32
	hundreds := x * 10_486 >> 20 & 0x7f_0000_007f
	x = hundreds | (x-100*hundreds)<<16
	tens := x * 103 >> 10 & 0x0f_000f_000f_000f
	return tens | (x-10*tens)<<8
}

// digits4 returns the four decimal digits of u < 10^4 as digits8 does.
func digits4(u uint32) uint32 {
	hundreds := u * 5243 >> 19
	x := hundreds | (u-100*hundreds)<<16
	tens := x * 103 >> 10 & 0x0f_000f
	return tens | (x-10*tens)<<8
}

// appendOctets appends the lowest n <= 8 octets of w, the lowest first.
func appendOctets(b []byte, w uint64, n int) []byte {
	return binary.LittleEndian.AppendUint64(b, w)[:len(b)+n]
}

// append8 appends u < 10^8 with leading zeros to eight digits.
func append8(b []byte, u uint64) []byte {
	return binary.LittleEndian.AppendUint64(b, digits8(u)|asciiZeros)
}

// appendUint appends u in decimal, as [strconv.AppendUint] does.
func appendUint(b []byte, u uint64) []byte {
	if u >= 1e8 {
		return append8(appendUint(b, u/1e8), u%1e8)
	}
	w := digits8(u)
	zeros := bits.TrailingZeros64(w|1<<56) & 56 // of the digits in front, in bits; the last one stays
	return appendOctets(b, (w|asciiZeros)>>zeros, 8-zeros/8)
}

// appendSigned appends n in decimal, as [strconv.AppendInt] does.
func appendSigned(b []byte, n int64) []byte {
	switch {
	case uint64(n) < 10: // most counts of a report
		return append(b, '0'+byte(n))
	case n < 0:
		return appendUint(append(b, '-'), -uint64(n))
	}
	return appendUint(b, uint64(n))
}

// appendNanos appends a point and n < 10^9 as the nine decimals behind it.
func appendNanos(b []byte, n uint64) []byte {
	return append8(append(b, '.', '0'+byte(n/1e8)), n%1e8)
}
