import os
for v in ("OMP_NUM_THREADS","OPENBLAS_NUM_THREADS"): os.environ[v]="1"
import sys
import numpy as np, importlib.util, scipy.special
from time import thread_time as perf_counter
def load(path,name):
    import importlib
    sys.path.insert(0,path); 
    for k in [k for k in sys.modules if k.startswith("attnlib")]: del sys.modules[k]
    m=importlib.import_module("attnlib"); sys.path.pop(0); assert m.__file__.startswith(path), m.__file__
    return m
new=load("/tmp/w/s3/a","n"); old=load("/work/main","o")
def best(fs, rounds=12):
    t=[9e9]*len(fs)
    for _ in range(rounds):
        for i,f in enumerate(fs):
            s=perf_counter(); f(); t[i]=min(t[i],perf_counter()-s)
    return t
for dt in (np.float64,np.float32):
    x=np.random.default_rng(0).normal(size=(8,12,512,512)).astype(dt)
    t=best([lambda: scipy.special.softmax(x,axis=-1), lambda: old.softmax(x), lambda: new.softmax(x)])
    print(dt.__name__,[round(t[0]/u,3) for u in t], t[0])
