import { button, h } from '../../kit/elements.ts';
import { areaField, choiceField, type Field, textField } from '../../kit/forms.ts';
import { plain } from '../../kit/value-texts.ts';
import { boundsWords, type FormField, withMember, wordsOf } from './schema-form.ts';

type Members = Readonly<Record<string, unknown>>;

interface FieldsOfObject {
  readonly fields: readonly FormField[];
  readonly value: Members;
  /** Distinguishes fields of one name. */
  readonly prefix: string;
  changed(value: Members): void;
}

/** A field for each member of an object; an empty field is an absent member. */
export function configFields({ fields, value, prefix, changed }: FieldsOfObject): readonly HTMLElement[] {
  let current = value;
  return fields.map((field) =>
    fieldElement(field, current[field.name], `${prefix}-${field.name}`, (next) => {
      current = withMember(current, field.name, next);
      changed(current);
    }),
  );
}

type Changed = (value: unknown) => void;

function fieldElement(field: FormField, value: unknown, name: string, changed: Changed): HTMLElement {
  const { kind } = field;
  if (kind === 'json') return jsonField({ label: plain(field.name), value, changed });
  if (kind === 'group') return groupElement(field, value as Members | undefined, name, changed);
  if (kind === 'rows') return rowsElement(field, (value ?? []) as readonly Members[], name, changed);
  if (kind === 'choices') return choicesElement(field, value as readonly unknown[] | undefined, name, changed);
  const made = simpleField(field, value, name);
  made.control.addEventListener('change', () => changed(parsedValue(field, made.control.value)));
  return made.element;
}

/** The label and the hint of a field: what the schema says about it. */
function textsOf(field: FormField, name: string) {
  const hint = [field.schema.description, sentence(boundsWords(field))].filter(Boolean).join(' ');
  return { name, label: plain(field.name), hint };
}

function sentence(words: string): string {
  return words === '' ? '' : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

function simpleField(field: FormField, value: unknown, name: string): Field {
  const { schema, kind } = field;
  const texts = textsOf(field, name);
  if (kind === 'choice') {
    const words = wordsOf(schema).map((word) => [JSON.stringify(word), plain(String(word))] as const);
    return choiceField(texts, [['', 'not set'], ...words], value === undefined ? '' : JSON.stringify(value));
  }
  if (kind === 'lines') {
    const made = areaField({ ...texts, hint: `${texts.hint} One a line.` }, { rows: 3 });
    made.control.value = ((value ?? []) as readonly string[]).join('\n');
    return made;
  }
  const text = value === undefined ? '' : String(value);
  if (kind === 'text') return textField(texts, { value: text, autocomplete: 'off' });
  const step = schema.type === 'integer' ? '1' : 'any';
  const bounds = { min: schema.minimum, max: schema.maximum };
  return textField(texts, { type: 'number', value: text, step, ...bounds, autocomplete: 'off' });
}

function parsedValue({ kind }: FormField, text: string): unknown {
  if (kind === 'lines') {
    const lines = text.split('\n').map((line) => line.trim());
    return lines.some(Boolean) ? lines.filter(Boolean) : undefined;
  }
  if (text.trim() === '') return undefined;
  if (kind === 'choice') return JSON.parse(text);
  return kind === 'number' ? Number(text) : text;
}

function fieldsetOf(field: FormField, ...content: readonly HTMLElement[]): HTMLElement {
  const { hint } = textsOf(field, '');
  return h(
    'fieldset',
    { class: 'field' },
    h('legend', {}, plain(field.name)),
    hint && h('p', { class: 'hint' }, hint),
    ...content,
  );
}

function groupElement(field: FormField, value: Members | undefined, prefix: string, changed: Changed): HTMLElement {
  return fieldsetOf(
    field,
    ...configFields({
      fields: field.members,
      value: value ?? {},
      prefix,
      changed: (next) => changed(Object.keys(next).length === 0 ? undefined : next),
    }),
  );
}

function choicesElement(
  field: FormField,
  value: readonly unknown[] | undefined,
  name: string,
  changed: Changed,
): HTMLElement {
  const words = field.schema.items?.enum ?? [];
  const boxes = words.map((word, i) => {
    const box = h('input', { type: 'checkbox', id: `${name}-${i}`, checked: value?.includes(word) });
    box.addEventListener('change', () => {
      const chosen = words.filter((_, at) => boxes[at]?.box.checked);
      changed(chosen.length === 0 ? undefined : chosen);
    });
    return { box, element: h('div', { class: 'field check' }, box, h('label', { for: box.id }, plain(String(word)))) };
  });
  return fieldsetOf(field, ...boxes.map(({ element }) => element));
}

/** A fieldset for each object of a list, with buttons to add and to remove one. */
function rowsElement(field: FormField, value: readonly Members[], name: string, changed: Changed): HTMLElement {
  let rows = value;
  const list = h('div', { class: 'rows' });
  const set = (next: readonly Members[]) => {
    rows = next;
    changed(next.length === 0 ? undefined : next);
  };
  const show = () =>
    list.replaceChildren(
      ...rows.map((row, i) =>
        h(
          'fieldset',
          { class: 'field' },
          h('legend', {}, `${plain(field.name)}, ${i + 1}`),
          ...configFields({
            fields: field.members,
            value: row,
            prefix: `${name}-${i}`,
            changed: (next) => set(rows.with(i, next)),
          }),
          button(`Remove ${i + 1}`, () => {
            set(rows.toSpliced(i, 1));
            show();
            add.focus();
          }),
        ),
      ),
    );
  const add = button('Add one', () => {
    set([...rows, {}]);
    show();
    list.lastElementChild?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  });
  show();
  return fieldsetOf(field, list, add);
}

interface JsonField {
  readonly label: string;
  readonly value: unknown;
  /** Whether only objects are values. */
  readonly isObject?: boolean;
  changed(value: unknown): void;
}

/** A text field for any JSON; what is no JSON is not passed on, and said so. An empty text is an absent value. */
export function jsonField({ label, value, isObject = false, changed }: JsonField): HTMLElement {
  const text = value === undefined ? '' : JSON.stringify(value, null, 2);
  const field = areaField(
    { name: 'json', label },
    { rows: Math.min(16, text.split('\n').length + 1), spellcheck: 'false' },
  );
  field.control.value = text;
  field.control.addEventListener('change', () => {
    const parsed = parsedJson(field.control.value, isObject);
    field.showFault('fault' in parsed ? parsed.fault : null);
    if (!('fault' in parsed)) changed(parsed.value);
  });
  return field.element;
}

function parsedJson(text: string, isObject: boolean): { readonly value: unknown } | { readonly fault: string } {
  if (text.trim() === '') return { value: isObject ? {} : undefined };
  try {
    const value: unknown = JSON.parse(text);
    const isFitting = !isObject || (typeof value === 'object' && value !== null && !Array.isArray(value));
    return isFitting ? { value } : { fault: 'Settings are an object: { "name": value }. It is not taken over yet.' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { fault: `This is not JSON, so it is not taken over yet: ${reason}` };
  }
}
