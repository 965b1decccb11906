package plot

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/image/font/sfnt"
)

// lighten removes the glyphs that an SVG file does not use from its font. The whole font has
// half a megabyte.
func lighten(svg []byte) ([]byte, error) {
	from, to := embeddedFont(svg)
	if from == to {
		return svg, nil
	}
	font, err := base64.StdEncoding.AppendDecode(nil, svg[from:to])
	if err != nil {
		return nil, fmt.Errorf("the font of the figure: %w", err)
	}
	font, err = subset(font, append(written(svg), []rune(`<>&"'`)...))
	if err != nil {
		return nil, fmt.Errorf("the font of the figure: %w", err)
	}
	out := append(make([]byte, 0, len(svg)), svg[:from]...)
	out = base64.StdEncoding.AppendEncode(out, font)
	return append(out, svg[to:]...), nil
}

// embeddedFont returns where the font of an SVG file is, which has only one. A regular expression
// takes a quarter of the time of a figure, because the font is long.
func embeddedFont(svg []byte) (from, to int) {
	const begin, alphabet = "url(data:font/ttf;charset=utf-8;base64,", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
	for {
		i := bytes.Index(svg[from:], []byte(begin))
		if i < 0 {
			return 0, 0
		}
		from += i + len(begin)
		n := len(svg) - from - len(bytes.TrimLeft(svg[from:], alphabet))
		if to = from + n; n > 0 && to < len(svg) && svg[to] == ')' { // else a text that looks like it
			return from, to
		}
	}
}

// written returns the letters of the texts in an SVG file, with those of XML entities.
func written(svg []byte) (letters []rune) {
	for {
		_, rest, _ := bytes.Cut(svg, []byte("<text"))
		_, rest, _ = bytes.Cut(rest, []byte(">"))
		text, rest, found := bytes.Cut(rest, []byte("</text>"))
		if !found {
			return letters
		}
		letters, svg = append(letters, []rune(string(text))...), rest
	}
}

// keptTables are the tables of a TrueType font that browsers need, and the table with the
// distances between pairs of letters.
var keptTables = []string{"OS/2", "cmap", "cvt ", "fpgm", "glyf", "head", "hhea", "hmtx", "kern", "loca", "maxp", "prep"}

// errFont says that a font does not have the form that [subset] knows.
var errFont = errors.New("not a whole TrueType font")

// subset returns a TrueType font with only the outlines of these characters. Glyphs keep their
// numbers, so that the other tables need no change (Apple's TrueType Reference Manual; ISO/IEC
// 14496-22).
func subset(font []byte, characters []rune) ([]byte, error) {
	tables, err := fontTables(font)
	if err != nil {
		return nil, err
	}
	parsed, err := sfnt.Parse(font)
	if err != nil {
		return nil, err
	}
	var scratch sfnt.Buffer
	wanted := map[int]bool{0: true} // glyph 0 stands for missing characters
	for _, r := range characters {
		i, err := parsed.GlyphIndex(&scratch, r)
		if err != nil {
			return nil, err
		}
		wanted[int(i)] = true
	}
	if err := outlines(tables, wanted); err != nil {
		return nil, err
	}
	for name := range tables {
		if !slices.Contains(keptTables, name) {
			delete(tables, name)
		}
	}
	tables["post"] = append([]byte{0, 3}, make([]byte, 30)...) // version 3: glyphs have no names
	tables["name"] = []byte{0, 0, 0, 0, 0, 6}                  // no entries, from byte 6 on
	return assemble(tables), nil
}

// fontTables returns the tables of a font by name.
func fontTables(font []byte) (map[string][]byte, error) {
	if len(font) < 12 || binary.BigEndian.Uint32(font) != 0x00010000 {
		return nil, errFont
	}
	out := map[string][]byte{}
	for i := range int(binary.BigEndian.Uint16(font[4:])) {
		at := 12 + 16*i
		if at+16 > len(font) {
			return nil, errFont
		}
		from, n := uint64(binary.BigEndian.Uint32(font[at+8:])), uint64(binary.BigEndian.Uint32(font[at+12:]))
		if from+n > uint64(len(font)) {
			return nil, errFont
		}
		out[string(font[at:at+4])] = font[from : from+n]
	}
	if len(out["head"]) < 54 {
		return nil, errFont
	}
	return out, nil
}

// outlines rewrites the tables glyf and loca. It removes the outlines of glyphs that are not
// wanted. Parts of wanted composite glyphs are wanted, too.
func outlines(tables map[string][]byte, wanted map[int]bool) error {
	glyf, loca := tables["glyf"], tables["loca"]
	if binary.BigEndian.Uint16(tables["head"][50:]) != 1 { // the long form of loca
		return errFont
	}
	n := len(loca)/4 - 1
	glyph := func(i int) []byte {
		if i >= n {
			return nil
		}
		from, to := binary.BigEndian.Uint32(loca[4*i:]), binary.BigEndian.Uint32(loca[4*i+4:])
		if from > to || uint64(to) > uint64(len(glyf)) {
			return nil
		}
		return glyf[from:to]
	}
	for open := slices.Collect(maps.Keys(wanted)); len(open) > 0; open = open[1:] {
		for _, part := range components(glyph(open[0])) {
			if !wanted[part] {
				wanted[part] = true
				open = append(open, part)
			}
		}
	}
	var shapes, places []byte
	for i := range n {
		places = binary.BigEndian.AppendUint32(places, uint32(len(shapes)))
		if wanted[i] {
			shapes = pad(append(shapes, glyph(i)...))
		}
	}
	tables["glyf"], tables["loca"] = shapes, binary.BigEndian.AppendUint32(places, uint32(len(shapes)))
	return nil
}

// components returns the parts of a composite glyph.
func components(glyph []byte) (out []int) {
	if len(glyph) < 10 || int16(binary.BigEndian.Uint16(glyph)) >= 0 {
		return nil
	}
	const words, scale, more, scales, matrix = 1 << 0, 1 << 3, 1 << 5, 1 << 6, 1 << 7
	for b := glyph[10:]; len(b) >= 4; {
		flags := binary.BigEndian.Uint16(b)
		out = append(out, int(binary.BigEndian.Uint16(b[2:])))
		size := 6
		if flags&words != 0 {
			size = 8
		}
		switch {
		case flags&scale != 0:
			size += 2
		case flags&scales != 0:
			size += 4
		case flags&matrix != 0:
			size += 8
		}
		if flags&more == 0 {
			break
		}
		b = b[min(size, len(b)):]
	}
	return out
}

// assemble writes a font of the tables, in the order of their names.
func assemble(tables map[string][]byte) []byte {
	names := slices.Sorted(maps.Keys(tables))
	power := 0
	for 2<<power <= len(names) {
		power++
	}
	font := binary.BigEndian.AppendUint32(nil, 0x00010000)
	for _, v := range []int{len(names), 16 << power, power, 16*len(names) - 16<<power} {
		font = binary.BigEndian.AppendUint16(font, uint16(v))
	}
	at := 12 + 16*len(names)
	head := slices.Clone(tables["head"])
	clear(head[8:12]) // the checksum of the font counts its own field as 0
	tables["head"] = head
	var body []byte
	place := 0
	for _, name := range names {
		table := tables[name]
		if name == "head" {
			place = at + len(body)
		}
		font = append(font, name...)
		for _, v := range []uint32{checksum(table), uint32(at + len(body)), uint32(len(table))} {
			font = binary.BigEndian.AppendUint32(font, v)
		}
		body = pad(append(body, table...))
	}
	font = append(font, body...)
	binary.BigEndian.PutUint32(font[place+8:], 0xb1b0afba-checksum(font))
	return font
}

// checksum adds up a table as words of 32 bits.
func checksum(b []byte) (sum uint32) {
	for b = pad(slices.Clone(b)); len(b) > 0; b = b[4:] {
		sum += binary.BigEndian.Uint32(b)
	}
	return sum
}

func pad(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}
