import { type Fact, venuesIn } from './value-texts.ts';

export type Child = Node | string | null | undefined | false;
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Makes an element; text never becomes markup. An attribute that is null, undefined or false is left out. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...present(children));
  return element;
}

/** A required element of the document. @throws Error when it is missing */
export function part<Kind extends HTMLElement>(selector: string, kind: new () => Kind): Kind {
  const found = document.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`The document has no ${selector}.`);
}

export function fill(element: HTMLElement, ...children: readonly Child[]): void {
  element.replaceChildren(...present(children));
}

function present(children: readonly Child[]): (Node | string)[] {
  return children.filter((child) => child !== null && child !== undefined && child !== false);
}

/**
 * A button that runs the action, once at a time. It is not disabled meanwhile, so that it keeps the focus, and gets it
 * back from a dialog.
 */
export function button(label: string, action: () => unknown, attributes: Attributes = {}): HTMLButtonElement {
  const made = h('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', async () => {
    if (made.ariaBusy === 'true') return;
    made.ariaBusy = 'true';
    try {
      await action();
    } finally {
      made.ariaBusy = null;
    }
  });
  return made;
}

/** Facts by their names. */
export function factList(facts: readonly Fact[], attributes: Attributes = {}): HTMLElement {
  const rows = facts.map(([name, value, about]) =>
    h('div', {}, h('dt', {}, name), h('dd', {}, value, about ? h('span', { class: 'about' }, about) : null)),
  );
  return h('dl', attributes, ...rows);
}

/** The venues that the document names, each with the IANA name of the zone of its sessions where it has any. */
export function statedVenues(): ReadonlyMap<string, string | undefined> {
  return venuesIn(document.querySelector<HTMLMetaElement>('meta[name="venues"]')?.content ?? '');
}

/** The address of a file of the page, such as a drawing library, that is loaded when it is first needed. */
export function addressOfFile(name: string): string {
  return new URL(`./${name}`, import.meta.url).href;
}

/** Replaces the content of an element; what had the focus has it again, if there is still one with its id. */
export function refill(element: HTMLElement, ...children: readonly Child[]): void {
  const focused = document.activeElement;
  const id = focused && element.contains(focused) ? focused.id : '';
  fill(element, ...children);
  if (id !== '') document.getElementById(id)?.focus({ preventScroll: true });
}
