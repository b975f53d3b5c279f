package cli

import (
	"cmp"
	"context"
	"maps"
	"net"
	"runtime"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/internal/web"
	"lockstep/sim/explore"
)

func (a *app) webCommand() *cobra.Command {
	var given, own string
	cmd := withArgument("web FOLDER", lang.New("a folder"), completeFolder, func(cmd *cobra.Command, folder string) error {
		source, err := findSource(cmd, given)
		if err != nil {
			return err
		}
		if err := a.web(cmd.Context(), folder, source, own); err != nil {
			return lang.Errorf("web: %w", err)
		}
		return nil
	})
	takes(cmd, "source", &given, "course", &own)
	return cmd
}

// web writes a site into a folder.
func (a *app) web(ctx context.Context, folder, source, own string) error {
	taken := web.Site{} // before the engine, which can take minutes
	if err := web.Refuses(folder); err != nil {
		return err
	}
	if err := taken.TakeCourse(ctx, own); err != nil {
		return err
	}
	_, end := a.minutes(lang.New("web: compiling the engine; with an empty build cache that takes minutes"))
	site, err := web.Build(ctx, source)
	end()
	if err != nil {
		return err
	}
	maps.Copy(site, taken)
	if err := a.siteMatrix(ctx, site); err != nil {
		return err
	}
	if err := site.Write(folder); err != nil {
		return err
	}
	a.say("%s: the site, whose engine has %s; lockstep serve %s shows it.", folder, humanize.Bytes(uint64(len(site["engine.bin"]))), lang.Typed(folder))
	return nil
}

// siteMatrix puts the matrix into a site, as far as it is kept from before.
func (a *app) siteMatrix(ctx context.Context, site web.Site) error {
	m, err := a.wholeMatrix(runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	now, end := a.minutes(lang.New("web: computing the matrix; what is not cached takes minutes"))
	var cells []explore.Report
	err = m.Compute(ctx, func(more ...explore.Report) {
		for _, c := range more {
			c.Since = time.Time{}
			cells = append(cells, c)
		}
		now(lang.New("web: %d of %d cells of the matrix", len(cells), len(m.Locks)*len(m.Hazards)))
	})
	end()
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	made, _, _ := strings.Cut(version(), "\n")
	return site.TakeMatrix(cells, made)
}

func (a *app) serveCommand() *cobra.Command {
	address := defaultAddress
	cmd := withArgument("serve FOLDER", lang.New("a folder"), completeFolder, func(cmd *cobra.Command, folder string) error {
		site, err := web.Open(folder)
		if err != nil {
			return lang.Errorf("serve: %w", err)
		}
		defer site.Close()
		l, err := listen(cmd.Context(), address)
		if err != nil {
			return usage(cmd, "--listen: %w", err)
		}
		for _, link := range linksTo(l.Addr()) {
			a.say("http://%s/", link)
		}
		if err := a.out.Flush(); err != nil {
			return err
		}
		if err := site.Serve(cmd.Context(), l); err != nil {
			return lang.Errorf("serve: %w", err)
		}
		return nil
	})
	takes(cmd, "listen", &address)
	return cmd
}

// minutes says on stderr what may take minutes: once or, in a terminal, until end is called.
func (a *app) minutes(m lang.Message) (now func(lang.Message), end func()) {
	if !isTerminal(a.stderr) {
		a.complain(m)
	}
	return a.working(m)
}

// defaultAddress is where a server listens unless it is told to elsewhere.
const defaultAddress = "127.0.0.1:8067"

// listen listens at an address. An IPv4 address means IPv4 only; Go would take
// 0.0.0.0 for all IPv6 addresses too.
func listen(ctx context.Context, address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, lang.Errorf("%q is not an address; use for example %s", address, defaultAddress)
	}
	network := "tcp"
	if ip := net.ParseIP(host); ip.To4() != nil {
		network = "tcp4"
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, network, address)
	if err == nil {
		return l, nil
	}
	if free, none := config.Listen(ctx, network, net.JoinHostPort(host, "0")); none == nil { // so it is the port
		err = lang.Errorf("%w; --listen %v is free", err, free.Addr())
		_ = free.Close()
	}
	return nil, err
}

// linksTo lists where a server can be reached: at all addresses, first from this machine
// and then from others.
func linksTo(at net.Addr) []string {
	tcp, ok := at.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return []string{at.String()}
	}
	link := func(ip net.IP) string { return (&net.TCPAddr{IP: ip, Port: tcp.Port}).String() }
	links := []string{link(net.IPv4(127, 0, 0, 1))}
	known, _ := net.InterfaceAddrs() // optional
	for _, addr := range known {
		if ip, ok := addr.(*net.IPNet); ok && ip.IP.IsGlobalUnicast() && (tcp.IP.To4() == nil || ip.IP.To4() != nil) {
			links = append(links, link(ip.IP))
		}
	}
	return links
}
