package cli

import (
	"net"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"lockstep/message"
	"lockstep/web"
)

func (a *app) webCommand() *cobra.Command {
	var given, own string
	cmd := &cobra.Command{
		Use:   "web FOLDER",
		Short: "Write the walkthrough as a site that needs no server",
		Long: `Web writes the walkthrough as a static site: the same pages in a browser, with
the engine as WebAssembly. Any file server can show it, and so can a browser
that opens its index.html from a disk. The folder is new, empty, or has an
earlier site.

The engine is compiled by the go command from the folder with Lockstep's
source: that of --source, or the one that this program was built in, or the
one around the working directory.`,
		Example: `  lockstep web ./public
  lockstep web ./public --course what-redlock-assumes
  lockstep web ./public --source ./lockstep`,
		Args:              exactly(message.New("a folder")),
		ValidArgsFunction: folders,
		RunE: func(cmd *cobra.Command, args []string) error {
			source, err := findSource(cmd, given)
			if err != nil {
				return err
			}
			site, err := web.Build(cmd.Context(), source)
			if err == nil && own != "" {
				err = site.TakeCourse(own)
			}
			if err == nil {
				err = site.Write(args[0])
			}
			if err != nil {
				return message.Errorf("web: %w", err)
			}
			a.say("%s: the site, whose engine has %s; lockstep serve %s shows it.", args[0], humanize.Bytes(uint64(len(site["engine.bin"]))), args[0])
			return nil
		},
	}
	cmd.Flags().StringVar(&given, "source", "", "the `FOLDER` with Lockstep's source")
	cmd.Flags().StringVar(&own, "course", "", "the site of a course: its `FOLDER`, a zip of it, or the name of one that comes with Lockstep")
	complete(cmd, "course", completeCourse)
	return cmd
}

func (a *app) serveCommand() *cobra.Command {
	var address string
	cmd := &cobra.Command{
		Use:   "serve FOLDER",
		Short: "Show a site of lockstep web on this machine",
		Long: `Serve shows a site that lockstep web has written, until it is interrupted: to
browsers of this machine, unless --listen says otherwise. It reads the files
of the site and nothing else, and writes nothing.`,
		Example: `  lockstep serve ./public
  lockstep serve ./public --listen 127.0.0.1:0`,
		Args:              exactly(message.New("a folder")),
		ValidArgsFunction: folders,
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := new(net.ListenConfig).Listen(cmd.Context(), "tcp", address)
			if err != nil {
				return usage(cmd, "--listen: %w", err)
			}
			a.say("http://%s/", l.Addr())
			if err := a.out.Flush(); err != nil {
				return err
			}
			if err := web.Serve(cmd.Context(), args[0], l); err != nil {
				return message.Errorf("serve: %w", err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&address, "listen", "127.0.0.1:8067", "the `ADDRESS` to listen at; with port 0, any that is free")
	return cmd
}

// folders completes a folder.
func folders(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}
