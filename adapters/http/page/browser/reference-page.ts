import { button, fill, h, part } from './kit/elements.ts';

// The script of /docs: a search over the operations, buttons that copy, and forms that send operations to this service.

const search = part('#reference-search', HTMLElement);
const key = document.querySelector<HTMLInputElement>('#key');
const all = part('nav details', HTMLDetailsElement);

search.hidden = false;
if (key?.parentElement) key.parentElement.hidden = document.querySelector('form.try') === null;
search.addEventListener('input', () => showFound(part('#reference-search input', HTMLInputElement).value));

const { origin = '' } = part('#content', HTMLElement).dataset;
for (const code of document.querySelectorAll<HTMLElement>('main pre code')) {
  // Behind a proxy the service may not know the address that the reader sees.
  if (origin !== '') code.textContent = code.textContent.replaceAll(origin, location.origin);
  addCopy(code);
}

for (const form of document.querySelectorAll<HTMLFormElement>('form.try')) {
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
}

/** Where the browser gives no access to the clipboard, the text is selected, to be copied by the reader. */
function addCopy(code: HTMLElement): void {
  const copy = button(
    'Copy',
    async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        copy.textContent = 'Copied';
      } catch {
        getSelection()?.selectAllChildren(code);
        copy.textContent = 'Selected';
      }
    },
    { class: 'copy' },
  );
  const box = h('div', { class: 'copied' });
  code.parentElement?.replaceWith(box);
  if (code.parentElement) box.append(code.parentElement, copy);
}

/** Shows the operations that have every word, and the headings above them. */
function showFound(text: string): void {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  all.open = words.length > 0;
  for (const item of document.querySelectorAll<HTMLElement>('nav li[data-words]')) {
    item.hidden = !words.every((word) => item.dataset.words?.includes(word));
  }
  for (const list of document.querySelectorAll<HTMLElement>('nav details ul')) {
    const isEmpty = words.length > 0 && !list.querySelector('li[data-words]:not([hidden])');
    list.hidden = isEmpty;
    if (list.previousElementSibling instanceof HTMLElement) list.previousElementSibling.hidden = isEmpty;
  }
}

/** Sends what the form says with the key of the page, else with the session of the browser, and shows the reply. */
async function send(form: HTMLFormElement): Promise<void> {
  const output = form.querySelector('output');
  if (!output) return;
  fill(output, h('p', {}, 'Sending\u2026'));
  try {
    const { url, init } = requestOf(form);
    const begun = performance.now();
    const response = await fetch(url, init);
    const body = readable(await response.text());
    const head = `${response.status} in ${Math.round(performance.now() - begun)} ms`;
    fill(output, h('p', {}, h('b', {}, head), ` ${url}`), body && h('pre', { tabindex: 0 }, h('code', {}, body)));
  } catch {
    fill(output, h('p', {}, 'No reply came: the service cannot be reached.'));
  }
}

function requestOf(form: HTMLFormElement): { readonly url: string; readonly init: RequestInit } {
  const query = new URLSearchParams();
  const secret = key?.value.trim() ?? '';
  const headers = new Headers(secret === '' ? {} : { 'X-API-Key': secret });
  let path = form.dataset.path ?? '';
  let body: string | null = null;
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('[data-in]')) {
    const { name, value } = field;
    const place = field.dataset.in;
    if (value === '') continue;
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    if (place === 'query') query.append(name, value);
    if (place === 'header') headers.set(name, value);
    if (place === 'body') {
      headers.set('Content-Type', field.dataset.type ?? 'application/json');
      body = value;
    }
  }
  const url = query.size > 0 ? `${path}?${query}` : path;
  return { url, init: { method: form.dataset.method ?? 'GET', headers, body } };
}

/** JSON with indents; any other text as it is, up to what a page can show. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text.slice(0, 100_000);
  }
}
