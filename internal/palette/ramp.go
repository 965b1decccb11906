package palette

import (
	"image/color"
	"math"
)

// ramp is matplotlib's viridis (CC0), from its light end to its dark one. Equal steps along it look
// equal, in grey print and in any colour vision, too.
var ramp = [...]uint32{
	0xfde725, 0xd8e219, 0xaddc30, 0x84d44b, 0x5ec962, 0x3fbc73, 0x28ae80, 0x1fa088, 0x21918c,
	0x26828e, 0x2c728e, 0x33638d, 0x3b528b, 0x424086, 0x472d7b, 0x48186a, 0x440154,
}

// Ramp returns the colour of a value in a heat map: light for 0, dark for 1.
func Ramp(part float64) color.NRGBA {
	at := min(max(part, 0), 1) * float64(len(ramp)-1)
	i := min(int(at), len(ramp)-2)
	between := func(shift uint) uint8 {
		a, b := float64(ramp[i]>>shift&0xff), float64(ramp[i+1]>>shift&0xff)
		return uint8(a + (at-float64(i))*(b-a) + 0.5)
	}
	return color.NRGBA{between(16), between(8), between(0), 0xff}
}

// Dark reports whether white text has more contrast on a colour than black text, by the relative
// luminance of WCAG 2.
func Dark(c color.NRGBA) bool {
	luminance := 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	return 1.05/(luminance+0.05) > (luminance+0.05)/0.05
}

// linear returns a part of an sRGB colour as light, from 0 to 1.
func linear(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}
