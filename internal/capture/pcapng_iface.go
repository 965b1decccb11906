package capture

import (
	"encoding/binary"
	"math/bits"
)

// Options of an interface description that matter here
// (draft-ietf-opsawg-pcapng, Section 4.2).
const (
	optionEnd        = 0
	optionName       = 2
	optionDescribed  = 3
	optionResolution = 9
	optionOffset     = 14
)

const nanosecond = 1_000_000_000 // nanoseconds in a second

// ngInterface holds the values of an interface description block.
type ngInterface struct {
	id      int    // within the source
	units   uint64 // units of timestamps in a second
	offset  int64  // seconds to add to each timestamp
	snapLen uint32 // 0 is unlimited
	link    LinkType
	about   Interface // for [Source.Interface]

	// For units that are a whole number of nanoseconds, times need no division:
	scale int64  // nanoseconds in a unit
	shift int64  // offset in nanoseconds
	quick uint64 // limit of the timestamps for which scale and shift can be used; 0 = for none
}

// addInterface reads the interface description block b.
func (n *ngReader) addInterface(b []byte) error {
	if len(n.ifaces) == maxInterfaces {
		return damaged(n.offset, "the section describes more than %d interfaces", maxInterfaces)
	}
	iface := ngInterface{link: LinkType(n.u16(b[8:])), snapLen: n.u32(b[12:]), units: 1_000_000}
	for at, end := 16, len(b)-4; at < end; {
		if end-at < 4 {
			return damaged(n.offset+int64(at), "an option of the interface is cut off")
		}
		code, size := n.u16(b[at:]), int(n.u16(b[at+2:]))
		if code == optionEnd {
			break
		}
		value := b[at+4 : end]
		if size > len(value) {
			return damaged(n.offset+int64(at), "an option of %d bytes overruns the %d left of the interface", size, len(value))
		}
		if !iface.option(code, value[:size], n.bigEndian) {
			return damaged(n.offset+int64(at), "the time resolution 0x%02x of the interface is too fine to count", value[0])
		}
		at += 4 + (size+3)&^3
	}
	iface.prepare()
	iface.about.Link, iface.about.SnapLen = iface.link, iface.snapLen
	iface.id = n.reg(iface.about)
	iface.about = Interface{}
	n.ifaces = append(n.ifaces, iface)
	return nil
}

// option reads one option and reports whether it is usable. It ignores options that are too short
// or unknown.
func (i *ngInterface) option(code uint16, value []byte, bigEndian bool) bool {
	switch {
	case code == optionName:
		i.about.Name = nameIn(value)
	case code == optionDescribed:
		i.about.Description = nameIn(value)
	case code == optionResolution && len(value) >= 1:
		i.units = resolution(value[0])
		return i.units > 0
	case code == optionOffset && len(value) >= 8 && bigEndian:
		i.offset = int64(binary.BigEndian.Uint64(value))
	case code == optionOffset && len(value) >= 8:
		i.offset = int64(binary.LittleEndian.Uint64(value))
	}
	return true
}

// maxName bounds the names of interfaces, bytes.
const maxName = 256

// nameIn returns the text of an option.
func nameIn(value []byte) string { return string(value[:min(len(value), maxName)]) }

// resolution returns the units in a second that if_tsresol gives: a power of ten or,
// with the top bit set, of two. It returns 0 if that exceeds 64 bits.
func resolution(tsresol byte) uint64 {
	exponent := tsresol & 0x7f
	if tsresol&0x80 != 0 {
		return 1 << exponent // 0 from 2^64 on
	}
	if exponent > 19 { // 10^20 exceeds 2^64
		return 0
	}
	units := uint64(1)
	for range exponent {
		units *= 10
	}
	return units
}

// prepare finds the timestamps for which at needs no division.
func (i *ngInterface) prepare() {
	const most = LatestTime/nanosecond - 1 // seconds
	if nanosecond%i.units == 0 && EarliestTime/nanosecond <= i.offset && i.offset <= most {
		i.scale, i.shift = int64(nanosecond/i.units), i.offset*nanosecond
		i.quick = uint64(most-max(i.offset, 0)) * i.units // what is below is not beyond LatestTime
	}
}

// at returns the same as time, but needs no division for usual units and years.
func (i *ngInterface) at(timestamp uint64) (ns int64, ok bool) {
	if timestamp < i.quick {
		return int64(timestamp)*i.scale + i.shift, true
	}
	return i.time(timestamp)
}

// time converts a timestamp to nanoseconds since the Unix epoch, rounded down. ok is false after
// [LatestTime] and before [EarliestTime].
func (i *ngInterface) time(timestamp uint64) (ns int64, ok bool) {
	const first, last = EarliestTime / nanosecond, LatestTime/nanosecond - 1
	seconds, rest := timestamp/i.units, timestamp%i.units
	high, low := bits.Mul64(rest, nanosecond)
	fraction, _ := bits.Div64(high, low, i.units)                    // cannot overflow: rest < units
	if seconds > last-first || i.offset < -last || i.offset > last { // else the sum cannot wrap
		return 0, false
	}
	sum := int64(seconds) + i.offset
	return sum*nanosecond + int64(fraction), first <= sum && sum <= last
}
