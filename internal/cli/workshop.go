package cli

import (
	"crypto/tls"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/internal/web"
	"lockstep/internal/workshop"
)

type workshopFlags struct {
	listen, room string
	site, course string
	cert, key    string
}

func (a *app) workshopCommand() *cobra.Command {
	f := workshopFlags{listen: defaultAddress, room: "lockstep-room.db"}
	cmd := withoutArguments("workshop", func(cmd *cobra.Command) error { return a.workshop(cmd, f) })
	takes(cmd, "listen", &f.listen, "room", &f.room, "site", &f.site, "course", &f.course, "tls-cert", &f.cert, "tls-key", &f.key)
	return cmd
}

func (a *app) workshop(cmd *cobra.Command, f workshopFlags) error {
	ctx := cmd.Context()
	var site *web.Server
	if f.site != "" {
		var err error
		if site, err = web.Open(f.site); err != nil {
			return usage(cmd, "--site: %w", err)
		}
		defer site.Close()
	}
	var secure *tls.Config
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return usage(cmd, "--tls-cert: %w", err)
		}
		secure = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	l, err := listen(ctx, f.listen)
	if err != nil {
		return usage(cmd, "--listen: %w", err)
	}
	scheme := "http"
	links := linksTo(l.Addr())
	if secure != nil {
		l, scheme = tls.NewListener(l, secure), "https"
	}
	defer func() { _ = l.Close() }() // Serve has done so
	for i := range links {
		links[i] = scheme + "://" + links[i] + "/"
	}
	join := links[len(links)-1] // others cannot reach the one of this machine
	room, err := workshop.New(ctx, workshop.Options{File: f.room, Course: f.course, Site: site, Join: join, Secure: secure != nil, Tell: func(err error) { a.complain(lang.Errorf("workshop: %w", err)) }})
	if err != nil {
		return lang.Errorf("workshop: %w", err)
	}
	if code, err := workshop.QR(join, background(a.theme, os.Getenv("COLORFGBG")) == "light"); err == nil && a.terminal {
		a.sayLines(code)
	}
	for _, link := range links {
		a.say("Join: %s", link)
	}
	a.say("Trainer: %strainer?key=%s", links[0], room.Key())
	a.say("Projector: %sbeamer", links[0])
	if err := a.out.Flush(); err != nil {
		return errors.Join(err, room.Close())
	}
	if err = errors.Join(room.Serve(ctx, l), room.Close()); err != nil {
		return lang.Errorf("workshop: %w", err)
	}
	return nil
}

// sayLines prints a text of several lines.
func (a *app) sayLines(text string) {
	for line := range strings.Lines(text) {
		a.say("%s", strings.TrimSuffix(line, "\n"))
	}
}
