// Command wasm is the engine in a browser's worker: what happens comes by
// lockstep(TEXT), and answers go by postMessage(TEXT), each as JSON. With a job to
// begin with it does that one, and nothing else.
package main

import (
	"context"
	"encoding/json"
	"syscall/js"

	"lockstep/internal/web/engine"
)

func main() {
	if text := js.Global().Get("lockstepJob"); text.Truthy() {
		var job engine.Job
		if err := json.Unmarshal([]byte(text.String()), &job); err != nil {
			panic(err)
		}
		engine.Explore(context.Background(), job, func(f engine.Finding) { post(f) })
		return
	}
	in := make(chan engine.Request, 1024)
	js.Global().Set("lockstep", js.FuncOf(func(_ js.Value, args []js.Value) any {
		var r engine.Request
		if err := json.Unmarshal([]byte(args[0].String()), &r); err == nil {
			select {
			case in <- r:
			default: // nobody has pressed so many keys
			}
		}
		return nil
	}))
	var start engine.Start
	err := json.Unmarshal([]byte(js.Global().Get("lockstepStart").String()), &start)
	if err == nil {
		err = engine.Run(context.Background(), start, in, func(a engine.Answer) { post(a) })
	}
	if err != nil {
		post(engine.Answer{Died: err.Error()})
	}
}

func post(what any) {
	text, err := json.Marshal(what)
	if err != nil {
		panic(err)
	}
	js.Global().Call("postMessage", string(text))
}
