package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mpanalyze/internal/extract"
	"mpanalyze/internal/metrics"
)

// keys is the value of a flag that takes a list of keys, as in width=8,points. Each key is a flag of a
// set of its own, so keys are parsed, checked and listed as flags are. A key with a comma in its value
// stands in quotation marks, as a field of CSV does. A key that is given again has its last value.
type keys struct {
	set   *pflag.FlagSet
	file  bool     // a value may be the name of a file with a key on each line
	files []string // that keys were read from
}

// keysVar defines a flag of keys and returns the set that holds them.
func keysVar(c *cobra.Command, name, usage string) *keys {
	k := &keys{set: pflag.NewFlagSet(name, pflag.ContinueOnError)}
	k.set.SortFlags = false
	c.Flags().Var(k, name, usage)
	completeTyped(c, name, noSpace, k.complete)
	return k
}

// styleVar defines the flag that says how tables or figures look.
func styleVar(c *cobra.Command, what, example string) *keys {
	k := keysVar(c, "style", "how the "+what+" looks: a `LIST|FILE`: keys below, as in "+example+", in quotation marks where a value has a comma, or a file with a key on each line; may be repeated")
	k.file = true
	reads(c, "style")
	return k
}

// Set implements [pflag.Value].
func (k *keys) Set(text string) error {
	fields, err := csv.NewReader(strings.NewReader(text)).Read()
	if err != nil {
		return fmt.Errorf("want KEY=VALUE,KEY=VALUE, and quotation marks around those with a comma: %w", err)
	}
	if name, _, _ := strings.Cut(fields[0], "="); k.file && k.set.Lookup(name) == nil && exists(text) {
		content, err := os.ReadFile(text)
		if err != nil {
			return err
		}
		k.files = append(k.files, text)
		fields = strings.FieldsFunc(string(content), func(r rune) bool { return r == '\n' || r == '\r' })
	}
	var errs []error
	for _, field := range fields {
		errs = append(errs, k.setKey(strings.TrimSpace(field)))
	}
	return errors.Join(errs...)
}

// setKey sets one key. A key that is on or off needs no value to be on, and takes yes and no.
func (k *keys) setKey(text string) error {
	name, value, given := strings.Cut(text, "=")
	f := k.set.Lookup(name)
	switch {
	case f == nil:
		var known []string
		k.set.VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		return fmt.Errorf("no key %q; want %s", name, alternatives(known))
	case !given && f.NoOptDefVal == "":
		return fmt.Errorf("the value is missing; write %s", keyHead(f))
	case !given:
		value = f.NoOptDefVal
	}
	if i := slices.Index([]string{"no", "yes"}, value); f.Value.Type() == "bool" && i >= 0 {
		value = []string{"false", "true"}[i]
	}
	var invalid *pflag.InvalidValueError
	if err := k.set.Set(name, value); errors.As(err, &invalid) {
		return fmt.Errorf("%s: %s", name, wanted(invalid))
	}
	return nil
}

// String returns the keys that were given, in the form that Set reads and in the order of the set, so
// equal keys give equal texts.
func (k *keys) String() string {
	var fields []string
	k.set.VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			fields = append(fields, f.Name+"="+f.Value.String())
		}
	})
	var text strings.Builder
	w := csv.NewWriter(&text)
	_ = w.Write(fields) // a builder takes all
	w.Flush()
	return strings.TrimSuffix(text.String(), "\n")
}

// Type returns the word that the help shows for the value.
func (*keys) Type() string { return "LIST" }

// keyHead returns a key with its value, as in width=CM.
func keyHead(f *pflag.Flag) string {
	switch value := placeholder(f); {
	case f.DefValue == "true":
		return f.Name + "=no"
	case value != "":
		return f.Name + "=" + value
	}
	return f.Name
}

// complete returns what the last key of a list may be, or its value.
func (k *keys) complete(typed string) (out []string) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	name, _, given := strings.Cut(typed[len(before):], "=")
	k.set.VisitAll(func(f *pflag.Flag) {
		v, few := f.Value.(*choice)
		switch head, _, valued := strings.Cut(keyHead(f), "="); {
		case given && few && f.Name == name:
			for _, value := range v.allowed {
				out = append(out, before+name+"="+value)
			}
		case given:
		case valued:
			out = append(out, before+head+"=\t"+inShort(flagText(f)))
		default:
			out = append(out, before+head+"\t"+inShort(flagText(f)))
		}
	})
	return out
}

// eachWord returns a function that calls add with each word of a list with commas, for a flag.
func eachWord(add func(string) error) func(string) error {
	return func(list string) (err error) {
		for word := range strings.SplitSeq(list, ",") {
			err = errors.Join(err, add(word))
		}
		return err
	}
}

// choice is the value of a flag or key that takes one of a few words.
type choice struct {
	to      *string
	allowed []string
}

// choose defines a flag or key that takes one of a few words.
func choose(f *pflag.FlagSet, to *string, name, value, usage string, allowed ...string) {
	*to = value
	f.Var(&choice{to, allowed}, name, usage)
}

// completeChoices completes the flags of a command that take one of a few words.
func completeChoices(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if v, ok := f.Value.(*choice); ok {
			complete(c, f.Name, noFile, func() []string { return v.allowed })
		}
	})
}

// Set implements [pflag.Value].
func (v *choice) Set(text string) error {
	if !slices.Contains(v.allowed, text) {
		return errors.New("want " + alternatives(v.allowed))
	}
	*v.to = text
	return nil
}

func (v *choice) String() string { return *v.to }

// Type returns the word that the help shows for the value.
func (*choice) Type() string { return "string" }

// idRanges is the value of a flag: IDs of connections and ranges of them, separated by commas, as
// in 3,8,20-39. A flag that is given again adds to the list.
type idRanges []extract.IDs

var errIDs = errors.New("want ids of connections, 0 or more, as in 3 or 3,8,20-39; mpanalyze connections lists them")

// Set reads a list. The package pflag calls it.
func (v *idRanges) Set(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		from, to, ranged := strings.Cut(word, "-")
		if !ranged {
			to = from
		}
		first, err := strconv.ParseUint(from, 10, 31)
		last, err2 := strconv.ParseUint(to, 10, 31)
		if err != nil || err2 != nil || last < first {
			return errIDs
		}
		*v = append(*v, extract.IDs{First: int(first), Last: int(last)})
	}
	return nil
}

func (v *idRanges) String() string {
	var words []string
	for _, r := range *v {
		word := strconv.Itoa(r.First)
		if r.Last > r.First {
			word = fmt.Sprintf("%d-%d", r.First, r.Last)
		}
		words = append(words, word)
	}
	return strings.Join(words, ",")
}

// Type returns the word that the help shows for the value.
func (*idRanges) Type() string { return "IDS" }

// one reports whether the list is one connection.
func (v idRanges) one() bool { return len(v) == 1 && v[0].First == v[0].Last }

// size is a bound on memory, in bytes, on the command line, as in 512MiB.
type size int64

// sizeUnits has the units of a size, as powers of two.
var sizeUnits = map[string]int{"": 0, "B": 0, "K": 10, "KiB": 10, "M": 20, "MiB": 20, "G": 30, "GiB": 30, "T": 40, "TiB": 40}

// leastMemory is the least value of --max-memory, in bytes: any analysis needs the state of some
// hundred connections.
const leastMemory = 16 << 20

var errSize = errors.New("want a number of bytes, as in 512MiB or 2GiB")

// Set reads a size. The package pflag calls it.
func (s *size) Set(text string) error {
	number := strings.TrimRight(text, "KMGTiB")
	shift, known := sizeUnits[text[len(number):]]
	n, err := strconv.ParseInt(number, 10, 64)
	if !known || err != nil || n < 0 || n > 1<<62>>shift {
		return errSize
	}
	*s = size(n << shift)
	return refuse(*s < leastMemory, "want at least %v", new(size(leastMemory)))
}

func (s *size) String() string {
	for _, unit := range []string{"TiB", "GiB", "MiB", "KiB"} {
		if shift := sizeUnits[unit]; *s != 0 && *s%(1<<shift) == 0 {
			return strconv.FormatInt(int64(*s>>shift), 10) + unit
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Type returns the word that the help shows for the value.
func (*size) Type() string { return "SIZE" }

// rate is a rate in bit/s on the command line, as in 4M.
type rate float64

var errRate = errors.New("want a rate of 1 bit/s or more, as in 500k, 4M or 2.5M")

// Set reads a rate. The package pflag calls it.
func (r *rate) Set(text string) error {
	number := strings.TrimRight(text, "kMG")
	scale, known := map[string]float64{"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[text[len(number):]]
	v, err := strconv.ParseFloat(number, 64)
	if *r = rate(v * scale); !known || err != nil || !(*r >= 1) || math.IsInf(float64(*r), 1) {
		return errRate
	}
	return nil
}

func (r *rate) String() string { return strconv.FormatFloat(float64(*r), 'g', -1, 64) }

// Type returns the word that the help shows for the value.
func (*rate) Type() string { return "RATE" }

// leastInterval is the shortest cell of a sampling grid. Timestamps of captures are hardly
// finer, and every cell adds a row, even a cell without data.
const leastInterval = time.Microsecond

// checkInterval refuses a cell of the sampling grid that is too short.
func checkInterval(d time.Duration) error {
	if d > 0 && d < leastInterval {
		return fmt.Errorf("--interval %v: want at least %v, or 0 for a sample per DATA_ACK", d, leastInterval)
	}
	return notNegative("interval", d)
}

// checkSpan refuses an empty span of time; 0 for to means the end.
func checkSpan(from, to time.Duration) error {
	return errors.Join(notNegative("from", from), notNegative("to", to),
		refuse(from >= 0 && to > 0 && to <= from, "--to %v: want more than --from %v, or 0 for the end of the connection", to, from))
}

func notNegative(flag string, d time.Duration) error {
	return refuse(d < 0, "--%s %v: want a time of 0 or more", flag, d)
}

// qoeFlag is the flag with the parameters of cwnd_decisions, from the paper QoE24.
type qoeFlag metrics.QoE

func registerQoE(c *cobra.Command, q *metrics.QoE) {
	*q = metrics.DefaultQoE
	c.Flags().Var((*qoeFlag)(q), "qoe", "parameters of cwnd_decisions: the segments that a decrease takes away above the mean throughput estimate, those that an increase adds below it, and the tolerance around it, as a part of it")
}

// Set reads the three numbers. The package pflag calls it.
func (q *qoeFlag) Set(text string) error {
	var rest string
	n, _ := fmt.Sscanf(text, "%g,%g,%g%s", &q.Alpha, &q.Beta, &q.Gamma, &rest)
	return refuse(n != 3 || !(min(q.Alpha, q.Beta, q.Gamma) >= 0) || q.Gamma > 1 || math.IsInf(q.Alpha+q.Beta, 1),
		"want two numbers of segments, 0 or more, and a part of the mean, 0 to 1, as in %v", (*qoeFlag)(&metrics.DefaultQoE))
}

func (q *qoeFlag) String() string { return fmt.Sprintf("%v,%v,%v", q.Alpha, q.Beta, q.Gamma) }

// Type returns the word that the help shows for the value.
func (*qoeFlag) Type() string { return "A,B,G" }
