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
	var f workshopFlags
	cmd := &cobra.Command{
		Use:   "workshop",
		Short: "Lead a class through the walkthrough in its browsers",
		Long: `Workshop serves a class until it is interrupted. Who opens the printed link, or
points a phone at the QR code, follows the trainer's walkthrough step by step;
answers the questions of the stories, and the trainer's own; and plays a level
against the others. There are no accounts, and the internet is not needed.

The trainer's link makes who opens it a trainer. Everything that the class does
is in the room's file before it is acknowledged: after a crash, the same command
goes on where it was.

The class has to reach this machine: --listen 0.0.0.0:8067 serves a network.
Without --tls-cert, the network can be listened to.`,
		Example: `  lockstep workshop --listen 0.0.0.0:8067
  lockstep workshop --listen 0.0.0.0:8067 --site ./public --room monday.db
  lockstep workshop --course what-redlock-assumes`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.workshop(cmd, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:8067", "listen at `ADDRESS`; with port 0, at any free port")
	flags.StringVar(&f.room, "room", "lockstep-room.db", "keep the room in `FILE`")
	flags.StringVar(&f.site, "site", "", "a `FOLDER` that lockstep web has written, to play levels in the browser")
	flags.StringVar(&f.course, "course", "", "the course of the class: its `FOLDER`, a zip of it, or the name of one that comes with Lockstep")
	flags.StringVar(&f.cert, "tls-cert", "", "serve by TLS, with the certificates in `FILE`, in PEM")
	flags.StringVar(&f.key, "tls-key", "", "the key of --tls-cert, in `FILE`, in PEM")
	complete(cmd, "course", completeCourse)
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
	l, err := listen(ctx, f.listen)
	if err != nil {
		return usage(cmd, "--listen: %w", err)
	}
	scheme := "http"
	links := linksTo(l.Addr())
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return usage(cmd, "--tls-cert: %w", err)
		}
		l, scheme = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}), "https"
	}
	defer func() { _ = l.Close() }() // Serve has done so
	for i := range links {
		links[i] = scheme + "://" + links[i] + "/"
	}
	join := links[len(links)-1] // others cannot reach the one of this machine
	room, err := workshop.New(ctx, workshop.Options{File: f.room, Course: f.course, Site: site, Join: join, Secure: f.cert != "", Tell: a.tellTrouble})
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
	a.say("Beamer: %sbeamer", links[0])
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

// tellTrouble prints what goes wrong while a server runs.
func (a *app) tellTrouble(err error) { a.complain(lang.Errorf("workshop: %w", err)) }
