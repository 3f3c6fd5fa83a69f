import sys,time,json,glob,random,resource,os,re,gc
import numpy as np
which,N=sys.argv[1],int(sys.argv[2])
docs=[]
for f in sorted(glob.glob('/work/shared/data/qa/*/corpus.jsonl')):
    if any(x in f for x in('zh','ja')): continue
    docs+=[json.loads(l)['text'] for l in open(f)]
TOK=re.compile(r'(?u)\b\w\w+\b')
toks=[TOK.findall(d.lower()) for d in docs]
toks=[t for t in toks if t][:]
rng=random.Random(0)
if N<=len(toks): C=toks[:N]
else:
    allw=[w for t in toks for w in t]; C=list(toks)
    while len(C)<N:
        n=len(toks[len(C)%len(toks)]); 
        i=rng.randrange(len(allw)-n); C.append(allw[i:i+n])
Q=[]
for f in sorted(glob.glob('/work/shared/data/qa/*/questions.jsonl')):
    if any(x in f for x in('zh','ja')): continue
    for l in list(open(f))[:60]:
        j=json.loads(l); Q.append(TOK.findall((j.get('question') or j.get('query') or j.get('text')).lower()))
Q=Q[:200]
V={}
ids=[np.fromiter((V.setdefault(w,len(V)) for w in d),dtype=np.int64,count=len(d)) for d in C]  # shared vocabulary
c=time.process_time; rss=lambda: int(open('/proc/self/statm').read().split()[1])*4096/1e6
r0=rss(); print('##',which,'docs',len(C),'vocab',len(V),'tokens',sum(map(len,ids)),'rss0',int(r0))
def p50(f):
    ts=[]
    for q in Q: t=time.perf_counter(); f(q); ts.append(time.perf_counter()-t)
    ts.sort(); return f'p50 {ts[len(ts)//2]*1e3:.3f} ms p95 {ts[int(len(ts)*.95)]*1e3:.3f} ms'
D=f'/tmp/deps/bmidx_{which}_{N}'; os.makedirs(D,exist_ok=True)
if which=='bm25s':
    t=c(); import bm25s; print('import cpu',round(c()-t,3),'numba' in sys.modules,'jax' in sys.modules,'scipy' in sys.modules)
    R=bm25s.BM25(k1=1.5,b=.75,method='lucene')
    t=c(); R.index(C,show_progress=False); print('index cpu',round(c()-t,2),'rss+',int(rss()-r0))
    top=lambda q: R.retrieve([q],k=10,show_progress=False)
    print('query',p50(top))
    print('get_scores only',p50(lambda q:R.get_scores(q)))
    res=[top(q) for q in Q[:50]]; np.save('/tmp/deps/r_bm25s_%d.npy'%N,np.array([r[1][0] for r in res])); 
    t=c(); R.save(D,show_progress=False) if 'show_progress' in R.save.__code__.co_varnames else R.save(D); print('save',round(c()-t,2),{f:os.path.getsize(D+'/'+f)//1000 for f in os.listdir(D)},'kB')
    del R; gc.collect(); r=rss(); t=c(); R=bm25s.BM25.load(D,mmap=True); print('load mmap cpu',round(c()-t,3),'rss+',int(rss()-r)); print('mmap query',p50(lambda q:R.retrieve([q],k=10,show_progress=False)))
else:
    from scipy import sparse
    t=c()
    n=len(ids); lens=np.array([len(x) for x in ids],np.int32); 
    cat=np.concatenate(ids); row=np.repeat(np.arange(n,dtype=np.int32),lens)
    m=sparse.coo_matrix((np.ones(len(cat),np.float32),(row,cat)),shape=(n,len(V))).tocsc(); m.sum_duplicates()
    df=np.diff(m.indptr); idf=np.log(1+(n-df+.5)/(df+.5)).astype(np.float32)
    k1,b=1.5,.75; nrm=(k1*(1-b+b*lens/lens.mean())).astype(np.float32)
    m.data=m.data/(m.data+nrm[m.indices])*np.repeat(idf,df)
    print('index cpu (ids given)',round(c()-t,2),'rss+',int(rss()-r0),'nnz',m.nnz)
    ptr,idx,dat=m.indptr,m.indices,m.data
    def mk(ptr,idx,dat):
        def q_(q):
            s=np.zeros(n,np.float32)
            for w in q:
                v=V.get(w)
                if v is None: continue
                a,b_=ptr[v],ptr[v+1]; s[idx[a:b_]]+=dat[a:b_]
            k=np.argpartition(-s,10)[:10]; k=k[np.lexsort((k,-s[k]))]; return k,s[k]
        return q_
    f=mk(ptr,idx,dat); print('query add-at-columns',p50(f))
    def sp(q):
        qi=[V[w] for w in q if w in V]; s=np.asarray(m[:,qi].sum(axis=1)).ravel(); k=np.argpartition(-s,10)[:10]; return k
    print('query scipy m[:,ids].sum',p50(sp))
    x=np.array([f(q)[1] for q in Q[:50]]); 
    try: y=np.load('/tmp/deps/r_bm25s_%d.npy'%N); print('scores max abs diff vs bm25s',float(np.abs(x-y).max()))
    except Exception as e: print(e)
    t=c(); [np.save(f'{D}/{a}.npy',v) for a,v in(('p',ptr),('i',idx),('d',dat))]; print('save',round(c()-t,2),{f:os.path.getsize(D+'/'+f)//1000 for f in os.listdir(D)},'kB')
    r=rss(); t=c(); P,I,A=(np.load(f'{D}/{a}.npy',mmap_mode='r') for a in 'pid'); print('load mmap cpu',round(c()-t,4),'rss+',int(rss()-r)); f=mk(P,I,A); print('mmap query',p50(f))
print('maxrss',resource.getrusage(resource.RUSAGE_SELF).ru_maxrss//1024)
