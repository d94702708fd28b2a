// Command ferretdb serves MongoDB's protocol from SQLite files in a folder, on a free loopback port.
//
// It prints the address as one line and serves until its standard input closes. An embedded FerretDB reports no
// telemetry. The `mongodb` engine of this folder's neighbour drives it.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	if len(os.Args) != 3 {
		fail("usage: ferretdb DIR full|off (an existing folder for the SQLite files, and whether they are synced)")
	}
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: "127.0.0.1:0"},
		Handler:   "sqlite",
		SQLiteURL: "file:" + os.Args[1] + "/?_pragma=synchronous(" + os.Args[2] + ")",
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	if err != nil {
		fail(err.Error())
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		fmt.Println(server.MongoDBURI())
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	if err := server.Run(ctx); err != nil {
		fail(err.Error())
	}
}

func fail(why string) {
	fmt.Fprintln(os.Stderr, "ferretdb: "+why)
	os.Exit(1)
}
