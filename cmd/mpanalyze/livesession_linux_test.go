package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"mpanalyze/internal/live"
	"mpanalyze/internal/testrun"
)

// asHost is the environment variable that makes the test binary one end of a download.
const asHost = "MPANALYZE_LIVE_HOST"

// downloaded is the size of the download, bytes.
const downloaded = 2_000_000

func init() {
	if role := os.Getenv(asHost); role != "" {
		if err := beHost(role); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// beHost writes or reads the download over Multipath TCP.
func beHost(role string) error {
	if role == "client" {
		d := net.Dialer{Timeout: 10 * time.Second}
		d.SetMultipathTCP(true)
		c, err := d.Dial("tcp", "10.77.1.2:5001")
		if err != nil {
			return err
		}
		n, err := io.Copy(io.Discard, c)
		if err == nil && n != downloaded {
			err = fmt.Errorf("%d bytes came", n)
		}
		return err
	}
	var l net.ListenConfig
	l.SetMultipathTCP(true)
	listener, err := l.Listen(context.Background(), "tcp", "0.0.0.0:5001")
	if err != nil {
		return err
	}
	fmt.Println("listens")
	c, err := listener.Accept()
	if err != nil {
		return err
	}
	block := make([]byte, downloaded/20)
	for range 20 {
		if _, err := c.Write(block); err != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
	return c.Close()
}

// twoHosts makes two network namespaces with two cables between them, and an address of
// the server that the client joins.
func twoHosts(t *testing.T) (client, server string) {
	t.Helper()
	if enabled, _ := os.ReadFile("/proc/sys/net/mptcp/enabled"); os.Getuid() != 0 || !bytes.HasPrefix(enabled, []byte("1")) {
		t.Skip("needs root and a kernel with Multipath TCP")
	}
	for _, tool := range []string{"ip", "tcpdump"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is missing", tool)
		}
	}
	client, server = fmt.Sprintf("mpa-live-c-%d", os.Getpid()), fmt.Sprintf("mpa-live-s-%d", os.Getpid())
	ip := func(args ...string) {
		if text, err := testrun.Command(t, "ip", args...).CombinedOutput(); err != nil {
			t.Skipf("ip %s: %v: %s", strings.Join(args, " "), err, text)
		}
	}
	t.Cleanup(func() {
		testrun.Command(t, "ip", "netns", "del", client).Run()
		testrun.Command(t, "ip", "netns", "del", server).Run()
	})
	for _, ns := range []string{client, server} {
		ip("netns", "add", ns)
		ip("-n", ns, "link", "set", "lo", "up")
		ip("netns", "exec", ns, "sysctl", "-qw", "net.mptcp.enabled=1")
		ip("-n", ns, "mptcp", "limits", "set", "subflow", "2", "add_addr_accepted", "2")
	}
	for path := 1; path <= 2; path++ {
		ip("link", "add", fmt.Sprint("c", path), "netns", client, "type", "veth", "peer", "name", fmt.Sprint("s", path), "netns", server)
		ip("-n", client, "addr", "add", fmt.Sprintf("10.77.%d.1/24", path), "dev", fmt.Sprint("c", path))
		ip("-n", server, "addr", "add", fmt.Sprintf("10.77.%d.2/24", path), "dev", fmt.Sprint("s", path))
		ip("-n", client, "link", "set", fmt.Sprint("c", path), "up")
		ip("-n", server, "link", "set", fmt.Sprint("s", path), "up")
	}
	ip("-n", server, "mptcp", "endpoint", "add", "10.77.2.2", "id", "1", "signal")
	return client, server
}

// inside returns a command that runs this binary in a network namespace.
func inside(t *testing.T, ns string, env string, args ...string) *exec.Cmd {
	c := command(t, args...)
	run := testrun.Command(t, "ip", append([]string{"netns", "exec", ns}, c.Args...)...)
	run.Env = c.Env
	if env != "" {
		run.Env = append(os.Environ(), env)
	}
	return run
}

// shared is a buffer that several goroutines use.
type shared struct {
	lock sync.Mutex
	b    bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.b.Write(p)
}

func (s *shared) String() string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.b.String()
}

// within waits for a condition, and returns whether it became true.
func within(holds func() bool) bool {
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// captures returns whether a program captures in a network namespace. A packet socket is listed
// before it gets packets: it gets them once it has a protocol (3 for all protocols) and is
// running.
func captures(t *testing.T, ns string) bool {
	list, _ := testrun.Command(t, "ip", "netns", "exec", ns, "cat", "/proc/net/packet").Output()
	for line := range strings.Lines(string(list)) {
		// Its address, references, type, protocol, interface, whether it runs, and more.
		if f := strings.Fields(line); len(f) > 5 && f[3] == "0003" && f[5] == "1" {
			return true
		}
	}
	return false
}

// totals are the sums over the JSON lines of a download.
type totals struct{ bytes, subflows int64 }

func readLines(lines string) (v totals) {
	for line := range strings.Lines(lines) {
		var i live.Interval
		if json.Unmarshal([]byte(line), &i) != nil {
			continue
		}
		for _, c := range i.Shown {
			if c.Connection != nil && c.B2A.Bytes != nil {
				v.bytes += *c.B2A.Bytes
				v.subflows = max(v.subflows, int64(len(c.Subflows)))
			}
		}
	}
	return v
}

// TestLiveInterface follows a real session on all interfaces of its server: the intervals add up
// to what the application sent. On a busy machine the kernel may drop packets of the capture, so
// it is enough that one session of three is complete.
func TestLiveInterface(t *testing.T) {
	client, server := twoHosts(t)
	for try := range 3 {
		err := followed(t, client, server)
		if err == nil {
			return
		}
		t.Logf("session %d: %v", try+1, err)
	}
	t.Error("no session was reported completely")
}

// followed makes a download while live runs, and returns an error if the output of live is wrong.
func followed(t *testing.T, client, server string) error {
	var out, said, listens shared
	watch := inside(t, server, "", "live", "--interface", "any", "--interval", "200ms")
	watch.Stdout, watch.Stderr = &out, &said
	serve := inside(t, server, asHost+"=server")
	serve.Stdout, serve.Stderr = &listens, &listens
	for _, c := range []*exec.Cmd{watch, serve} {
		if err := c.Start(); err != nil {
			return err
		}
		defer c.Wait()
		defer c.Process.Kill()
	}
	if !within(func() bool { return strings.Contains(listens.String(), "listens") }) {
		return fmt.Errorf("the server does not listen: %s", listens.String())
	}
	if !within(func() bool { return captures(t, server) }) {
		return fmt.Errorf("nothing captures: %s", said.String())
	}
	if text, err := inside(t, client, asHost+"=client").CombinedOutput(); err != nil {
		return fmt.Errorf("client: %w: %s", err, text)
	}
	whole := within(func() bool { return readLines(out.String()).bytes >= downloaded })
	watch.Process.Signal(os.Interrupt)
	if s := status(t, watch); s != 2 || !strings.Contains(said.String(), "interrupted") {
		return fmt.Errorf("status %d: %s", s, said.String())
	}
	if v := readLines(out.String()); !whole || v != (totals{downloaded, 2}) {
		return fmt.Errorf("%+v, want %d bytes on 2 subflows; %s\n%s", v, downloaded, said.String(), out.String())
	}
	return nil
}
