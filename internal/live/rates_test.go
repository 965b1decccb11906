package live

import "testing"

// TestGoodputOfCorrection: 1000 bytes in a second are 0.008 Mbit/s; bytes that are taken back
// have no rate, and the reason is given.
func TestGoodputOfCorrection(t *testing.T) {
	v := Interval{Amounts: Amounts{Bytes: -400}, Shown: []Connection{{A2B: ConnDir{Bytes: new(int64(1000))}, B2A: ConnDir{Bytes: new(int64(-400))}}}}
	v.rates(1e9)
	forth, back := &v.Shown[0].A2B, &v.Shown[0].B2A
	if forth.Goodput == nil || *forth.Goodput != 0.008 || len(forth.Unavailable) != 0 {
		t.Errorf("1000 bytes: %v, %v", forth.Goodput, forth.Unavailable)
	}
	if back.Goodput != nil || len(back.Unavailable) != 1 || back.Unavailable[0].Metric != "goodput_mbps" || v.Goodput != nil {
		t.Errorf("-400 bytes: %v, %v; of the interval %v", back.Goodput, back.Unavailable, v.Goodput)
	}
}
