import { type Attributes, type Child, fill, h } from './elements.ts';
import { RefusedRequest, refusalWords } from './refused-request.ts';

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** One labelled control with its hint and, after a refusal, its fault. */
export interface Field {
  readonly element: HTMLElement;
  readonly control: Control;
  /** The member of the request's body that the control fills: faults of that path are shown here. */
  readonly name: string;
  showFault(message: string | null): void;
}

interface FieldTexts {
  readonly name: string;
  readonly label: string;
  readonly hint?: Child;
}

let fields = 0;

/** A text field. `attributes` are those of the input, such as `type`, `autocomplete` and `required`. */
export function textField(texts: FieldTexts, attributes: Attributes = {}): Field {
  return fieldOf(texts, h('input', { type: 'text', ...attributes }));
}

export function areaField(texts: FieldTexts, attributes: Attributes = {}): Field {
  return fieldOf(texts, h('textarea', { rows: 3, ...attributes }));
}

/** A choice; the first option is chosen unless `chosen` names another one. */
export function choiceField(
  texts: FieldTexts,
  options: readonly (readonly [value: string, words: string])[],
  chosen?: string,
): Field {
  const all = options.map(([value, words]) => h('option', { value, selected: value === chosen }, words));
  return fieldOf(texts, h('select', {}, ...all));
}

export function checkField(texts: FieldTexts, isChecked = false): Field {
  return fieldOf(texts, h('input', { type: 'checkbox', checked: isChecked }));
}

function fieldOf({ name, label, hint }: FieldTexts, control: Control): Field {
  fields += 1;
  const id = control.id || `${name}-${fields}`;
  const [hintId, faultId] = [`${id}-hint`, `${id}-fault`];
  control.id = id;
  control.name = name;
  const fault = h('p', { class: 'fault', id: faultId });
  const about = [...(hint ? [hintId] : []), faultId].join(' ');
  control.setAttribute('aria-describedby', about);
  const isCheck = control.type === 'checkbox';
  const words = h('label', { for: id }, label);
  const note = hint ? h('p', { class: 'hint', id: hintId }, hint) : null;
  const element = h(
    'div',
    { class: isCheck ? 'field check' : 'field' },
    ...(isCheck ? [control, words] : [words, control]),
    note,
    fault,
  );
  const showFault = (message: string | null) => {
    fault.textContent = message ?? '';
    control.toggleAttribute('aria-invalid', message !== null);
    if (message !== null) control.setAttribute('aria-invalid', 'true');
  };
  return { element, control, name, showFault };
}

/** The trimmed text of a field; undefined if it is empty, as the service wants absent members. */
export function textOf({ control }: Field): string | undefined {
  const text = control.value.trim();
  return text === '' ? undefined : text;
}

export function isChecked({ control }: Field): boolean {
  return control instanceof HTMLInputElement && control.checked;
}

export interface FormContent {
  readonly fields: readonly Field[];
  /** What the button does, as a verb: `Create the key`. */
  readonly action: string;
  /** Next to the button. */
  readonly extra?: readonly Child[];
  readonly class?: string;
  /** Sends the form. A refusal that it rejects with is shown at the fields that it names, else below the form. */
  send(): Promise<unknown>;
}

/** A form that shows where it was refused. The focus goes to the first faulty field, else to the message. */
export function form({ fields: all, action, extra = [], class: name, send }: FormContent): HTMLFormElement {
  const submit = h('button', { type: 'submit', class: 'primary' }, action);
  const message = h('p', { class: 'notice', role: 'alert', tabindex: -1 });
  message.hidden = true;
  const element = h(
    'form',
    { class: ['form', name].filter(Boolean).join(' ') },
    ...all.map((field) => field.element),
    h('div', { class: 'buttons' }, submit, ...extra),
    message,
  );
  element.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (submit.ariaBusy === 'true') return;
    for (const field of all) field.showFault(null);
    message.hidden = true;
    submit.ariaBusy = 'true';
    try {
      await send();
    } catch (error) {
      showRefusal(error, all, message);
    } finally {
      submit.ariaBusy = null;
    }
  });
  return element;
}

function showRefusal(error: unknown, all: readonly Field[], message: HTMLElement): void {
  if (!(error instanceof RefusedRequest)) reportError(error);
  const faults = error instanceof RefusedRequest ? error.faults : [];
  const named = faults.flatMap((fault) => {
    const field = all.find(({ name }) => name === fault.path.split(/[.[]/)[0]);
    return field ? [{ field, fault }] : [];
  });
  for (const { field, fault } of named) field.showFault(`This ${fault.message}.`);
  if (named.length < faults.length || named.length === 0) {
    fill(message, refusalWords(error));
    message.hidden = false;
  }
  (named[0]?.field.control ?? message).focus();
}

/** One visit of a view: what the address says after the name of the view, until the reader leaves it. */
export interface Visit {
  /** The rest of the path, decoded: in `#/webhooks/ID` it is `ID`. */
  readonly rest: string;
  readonly query: URLSearchParams;
  /** Aborted when the view is left: pass it to every request and listener. */
  readonly signal: AbortSignal;
  /** Whether the reader came by back or forward, so that the position is restored once `show` has returned. */
  readonly isReturn: boolean;
  /** Shows the current address again, after a change of the session for example. */
  again(): void;
  /**
   * Of a view that shows another address of its own without being made anew. Returns whether it does; it gets the query
   * while the name and the rest of the path stay.
   */
  takeAddress(takes: (query: URLSearchParams) => boolean): void;
  /** Names the view anew in the title of the page: where its content was read later than `show` returned. */
  rename(title: string): void;
}

/** A module of a view. `show` fills the element and returns the title; the view has one `h1` with tabindex -1. */
export interface ViewModule {
  show(view: HTMLElement, visit: Visit): Promise<string>;
}
