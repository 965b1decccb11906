package build

import (
	"math"
	"reflect"
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// What is stored of a lone SYN is all of it.
func TestLoneStored(t *testing.T) {
	for _, l := range []conn.LoneSYN{
		{ID: -1},
		{
			Packet: math.MaxUint64, Time: math.MinInt64, Until: math.MaxInt64, Order: math.MaxUint32, ID: math.MaxInt32, Token: math.MaxUint32,
			Ends:  [2]packet.Endpoint{{Addr: [16]byte{1, 15: 2}, Port: 65535}, {Addr: [16]byte{3, 15: 4}, Port: 80}},
			Offer: conn.Offer{Seen: true, Version: 15, Flags: 0x81}, Vantage: conn.Middle, Cooked: packet.Incoming,
			Joined: true, Backup: true, Address: 255,
		},
		{ID: 3, Backup: true, Cooked: packet.Outgoing},
	} {
		var x loneSYN
		record := append([]byte{}, stored(&l)...)
		if got := *x.read(record); got != l {
			t.Errorf("%+v, want %+v", got, l)
		}
	}
}

// A lone SYN has no pointers: nothing would keep what they point to.
func TestLoneHasNoPointers(t *testing.T) {
	var check func(of reflect.Type, name string)
	check = func(of reflect.Type, name string) {
		switch of.Kind() {
		case reflect.Struct:
			for f := range of.Fields() {
				check(f.Type, name+"."+f.Name)
			}
		case reflect.Array:
			check(of.Elem(), name)
		case reflect.Pointer, reflect.Slice, reflect.String, reflect.Map, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
			t.Errorf("%s is a %v", name, of)
		}
	}
	check(reflect.TypeFor[conn.LoneSYN](), "LoneSYN")
}
