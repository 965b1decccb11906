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

// asHost in the environment makes the test binary one end of a download.
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

// within waits until something holds.
func within(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %s", what)
		}
	}
}

// TestLiveInterface follows a real session on all interfaces of its server: the intervals
// add up to what the application sent.
func TestLiveInterface(t *testing.T) {
	client, server := twoHosts(t)
	var out, said, listens shared
	watch := inside(t, server, "", "live", "--interface", "any", "--interval", "200ms")
	watch.Stdout, watch.Stderr = &out, &said
	serve := inside(t, server, asHost+"=server")
	serve.Stdout, serve.Stderr = &listens, &listens
	for _, c := range []*exec.Cmd{watch, serve} {
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		defer c.Process.Kill()
	}
	within(t, "server: "+listens.String(), func() bool { return strings.Contains(listens.String(), "listens") })
	within(t, "capture", func() bool { // a socket that captures has a line below the heading
		list, _ := testrun.Command(t, "ip", "netns", "exec", server, "cat", "/proc/net/packet").Output()
		return bytes.Count(list, []byte("\n")) > 1
	})
	if text, err := inside(t, client, asHost+"=client").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var bytes, subflows int64
	read := func() bool {
		bytes, subflows = 0, 0
		for line := range strings.Lines(out.String()) {
			var v live.Interval
			if json.Unmarshal([]byte(line), &v) != nil {
				continue
			}
			for _, c := range v.Shown {
				if c.Connection != nil && c.B2A.Bytes != nil {
					bytes += *c.B2A.Bytes
					subflows = max(subflows, int64(len(c.Subflows)))
				}
			}
		}
		return bytes >= downloaded
	}
	within(t, "end of the download", func() bool { return read() })
	watch.Process.Signal(os.Interrupt)
	if s := status(t, watch); s != 2 || !strings.Contains(said.String(), "interrupted") {
		t.Errorf("status %d: %s", s, said.String())
	}
	if read(); bytes != downloaded || subflows != 2 {
		t.Errorf("%d bytes on %d subflows, want %d on 2\n%s", bytes, subflows, downloaded, out.String())
	}
}
