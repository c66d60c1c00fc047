# usage: make_numbers.py RUN TOKENS COUNT.json > numbers.json   (COUNT.json: what count_model.py printed)
import json,pathlib,sys
M=pathlib.Path('models'); run,tokens=map(pathlib.Path,sys.argv[1:3]); c=json.load(open(sys.argv[3]))
def last(n): return [json.loads(l) for l in (M/n/'metrics.jsonl').read_text().splitlines() if '"valid"' in l][-1]['valid']
lines=[json.loads(l) for l in (M/'summand-mini/metrics.jsonl').read_text().splitlines()]
tok=[l['tokens'] for l in lines if 'tokens' in l][-1]
secs=json.load(open(run/'last/state.json'))['seconds']
idx=json.load(open(tokens/json.load(open(run/'run.json'))['data']['train']/'index.json'))
import safetensors.numpy as sn
par=sum(v.size for v in sn.load_file(M/'summand-mini/model.safetensors').values())
def iv(k): return f"{c[k]:.2f} ({c[k+'_interval'][0]:.2f} to {c[k+'_interval'][1]:.2f})"
v=last('summand-mini')
n={'MINI':f"{c['model_nats']:.3f}",'UNIGRAM':f"{c['unigram_nats']:.3f}",'NEIGHBOURS':f"{c['neighbours_nats']:.3f}",
'LEARNED':f"{last('tenth-learned')['masked_loss']:.3f}",'SINUSOIDAL':f"{last('tenth-sinusoidal')['masked_loss']:.3f}",'NONE':f"{last('tenth-none')['masked_loss']:.3f}",
'MASKS':f"{c['masked_tokens']:,}",'PERPLEXITY':f"{2.718281828459045**c['model_nats']:.1f}",'ACCURACY':f"{100*c['model_accuracy']:.1f}",'PAIRS':f"{100*c['model_pair_accuracy']:.1f}",
'BELOW_UNIGRAM':iv('below_unigram'),'BELOW_NEIGHBOURS':iv('below_neighbours'),'STEPS':'34,000','TOKENS':f"{tok/1e6:.1f}",'EPOCHS':f"{tok/idx['tokens']:.0f}",
'HOURS':f"{secs/3600:.1f} hours",'PARAMETERS':f"{par/1e6:.1f}"}
print(json.dumps(n,indent=1))
