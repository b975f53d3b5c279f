// In a worker: the engine. The first message is {module, start}, each later one the
// text of a request. With {module, job} it does that job and ends. The wasm_exec.js of
// the Go that built the engine stands above.
let told = "";
const decoder = new TextDecoder();
globalThis.fs.writeSync = (fd, bytes) => { // what the engine has to say before it dies
  told = (told + decoder.decode(bytes, { stream: true })).slice(-8000);
  return bytes.length;
};
onmessage = async ({ data }) => {
  if (typeof data === "string") {
    globalThis.lockstep(data);
    return;
  }
  try {
    const go = new Go();
    globalThis.lockstepStart = data.start;
    globalThis.lockstepJob = data.job;
    await go.run(await WebAssembly.instantiate(data.module, go.importObject));
    postMessage(JSON.stringify({ died: told || "the engine has ended" }));
  } catch (err) {
    postMessage(JSON.stringify({ died: told || String(err) }));
  }
};
