import json,sys,pathlib,re
# usage: fill.py  : reads numbers.json
n=json.load(open('numbers.json'))
for p in ('README.md','README.zh.md','models/summand-mini/README.md','models/tenth-learned/README.md'):
    f=pathlib.Path('.')/p; s=f.read_text()
    for k in sorted(n,key=len,reverse=True): s=s.replace('@'+k,str(n[k]))
    f.write_text(s); print(p,re.findall(r'@[A-Z_]+',s))
