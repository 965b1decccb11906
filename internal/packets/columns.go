package packets

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"mpanalyze/internal/packet"
)

// eventHeader names the columns of lines with one event each.
const eventHeader = "packet\ttime\tt_s\tid\tsubflow\tdirection\tevent\tdetail\n"

// LineColumns and EventColumns are the columns of the two forms by importance, for [textwrap.NewColumns].
const (
	LineColumns  = "packet:6 t_s:12 id:2 subflow from:21 length dsn:16 flags:7 mark:14 events:12 data_ack:9 rtt_ms:7 to:21 options:24 original:8 ssn:16 mapping:24 window seq:10 ack:10 checksums time:20 kind:5"
	EventColumns = "packet:6 t_s:12 id:2 subflow event:16 direction detail:18 time:20"
)

// appendEventColumns appends the line of an event as columns. at and since are the time of
// the event, and how long after the start of the connection it was, ns.
func appendEventColumns(b []byte, at, since int64, x *EventLine) []byte {
	if x.Packet == 0 {
		b = append(b, "-\t-\t-"...)
	} else {
		b = strconv.AppendUint(b, x.Packet, 10)
		b = appendSeconds(append(b, '\t'), packet.Unix(at))
		b = appendSeconds(append(b, '\t'), since)
	}
	detail := cmp.Or(x.Detail, strings.Join(named(x.Event), ","), "-")
	return fmt.Appendf(b, "\t%s\t%s\t%s\t%s\t%s\n", orDash(x.Connection), orDash(x.Subflow), x.Direction, x.Kind, detail)
}

// orDash returns a number as text, "-" for none.
func orDash(v *int) string {
	if v == nil {
		return "-"
	}
	return strconv.Itoa(*v)
}

// named returns the fields of a structure as name=value pairs: those that are set, by the names that their tags
// have for text. A name with two dots behind it is that of a long number, which is cut to 8 digits. A list is a pair
// for each of its numbers.
func named(of any) (pairs []string) {
	for f, v := range reflect.ValueOf(of).Fields() {
		name, long := strings.CutSuffix(f.Tag.Get("text"), "..")
		if name == "" || v.IsZero() {
			continue
		}
		for value := range strings.FieldsSeq(strings.Trim(fmt.Sprint(reflect.Indirect(v)), "[]")) {
			if long && len(value) > 8 {
				value = value[:8] + ".."
			}
			pairs = append(pairs, name+"="+value)
		}
	}
	return pairs
}

// text returns an option in short form.
func (o *Option) text() string {
	w := []string{strings.ReplaceAll(o.Subtype, " ", "_")}
	if o.Error != "" {
		w = append(w, "malformed")
	}
	return strings.Join(append(w, named(*o)...), " ")
}
