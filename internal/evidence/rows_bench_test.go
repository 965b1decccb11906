package evidence

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"

	"mpanalyze/internal/hosts"
)

// manySockets writes samples of ss of 1,000 sockets, each 200 ms, with counters that grow.
func manySockets(f *os.File, samples int) error {
	const sockets, first = 1000, 1795626705
	w := bufio.NewWriterSize(f, 1<<20)
	var line []byte
	for i := range samples {
		fmt.Fprintf(w, "%d.%09d\n", first+i/5, i%5*200000000)
		for s := range sockets {
			n := int64(i+1) * 14480
			line = append(line[:0], "ESTAB 0 4900 10.2.100.2:5001 10.2.1.1:"...)
			line = strconv.AppendInt(line, int64(30000+s), 10)
			line = append(line, " timer:(on,060ms,0) ino:"...)
			line = strconv.AppendInt(line, int64(900000+s), 10)
			line = append(line, " sk:129c cgroup:unreachable:1 <->\n\t skmem:(r0,rb131072,t0,tb46080,f3612,w7396,o0,bl0,d0) ts sack cubic wscale:10,10 rto:228 rtt:27.463/2.216 ato:40 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:"...)
			line = strconv.AppendInt(line, int64(10+(i+s)%90), 10)
			line = append(line, " bytes_sent:"...)
			line = strconv.AppendInt(line, n, 10)
			line = append(line, " bytes_acked:"...)
			line = strconv.AppendInt(line, n-5000, 10)
			line = append(line, " segs_out:180 segs_in:90 data_segs_out:"...)
			line = strconv.AppendInt(line, n/1448, 10)
			line = append(line, " send 7592410bps lastsnd:36 lastrcv:400 lastack:4 pacing_rate 14383416bps delivery_rate 2995256bps delivered:28 busy:100ms unacked:4 rcv_space:14480 rcv_ssthresh:64088 notsent:1500 minrtt:20.5 snd_wnd:65536\n"...)
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// BenchmarkRows reads samples of 1,000 sockets through a pipe, an iteration for each sample: an
// hour of samples each 200 ms is -benchtime 18000x, 18 million rows. heap-MB is what is in use
// when all are read, and does not grow once each socket has maxKept rows.
func BenchmarkRows(b *testing.B) {
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	name := fmt.Sprintf("/proc/self/fd/%d", r.Fd())
	if _, err := os.Stat(name); err != nil {
		b.Skip(err)
	}
	wrote := make(chan error, 1)
	go func() {
		err := manySockets(w, b.N+1) // the first bytes of the pipe say what it is, and are not read again
		_ = w.Close()
		wrote <- err
	}()
	x, err := Read([]hosts.Source{{End: hosts.EndB, Path: name}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	if err := <-wrote; err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	rows := x.hosts[0].rows()
	if least := int64(b.N) * 1000; rows < least || len(x.hosts[0].tcp) != 1000 {
		b.Fatalf("%d rows of %d sockets, want %d or more of 1000", rows, len(x.hosts[0].tcp), least)
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(m.HeapAlloc)/1e6, "heap-MB")
	runtime.KeepAlive(x)
}
