import { Agent, setGlobalDispatcher } from 'undici';

// `fetch` takes a connection for each request: a server closes one that has waited for seconds, as while a test is busy, also when the
// next request is on its way to it.
setGlobalDispatcher(new Agent({ pipelining: 0 }));
