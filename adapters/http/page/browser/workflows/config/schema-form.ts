/** The parts of JSON Schema that a form can show; any other schema is edited as JSON. */
export interface FieldSchema {
  readonly type?: unknown;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
}

/** How a value is edited. `lines`: one text a line; `choices`: some of several words; `group`: the members of an object. */
export type FieldKind = 'text' | 'number' | 'choice' | 'lines' | 'choices' | 'group' | 'rows' | 'json';

/** One field of a form. */
export interface FormField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly schema: FieldSchema;
  readonly isRequired: boolean;
  /** The members of a group, or of each row. */
  readonly members: readonly FormField[];
}

/** The fields of the schema of an object, in its order. */
export function fieldsOf({ properties = {}, required = [] }: FieldSchema): readonly FormField[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    kind: kindOf(schema),
    schema,
    isRequired: required.includes(name),
    members: fieldsOf(schema.type === 'array' ? (schema.items ?? {}) : schema),
  }));
}

function kindOf(schema: FieldSchema): FieldKind {
  const { type, items, properties } = schema;
  if (isWords(schema) || type === 'boolean') return 'choice';
  if (type === 'string') return 'text';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'object' && properties && isPlain(schema)) return 'group';
  if (type !== 'array' || !items) return 'json';
  if (isWords(items)) return 'choices';
  if (items.type === 'string') return 'lines';
  return items.type === 'object' && items.properties && isPlain(items) ? 'rows' : 'json';
}

function isWords({ enum: words }: FieldSchema): boolean {
  return words?.every((word) => typeof word === 'string') ?? false;
}

/** A form shows two levels of objects; what is deeper is edited as JSON. */
function isPlain({ properties = {} }: FieldSchema): boolean {
  return Object.values(properties).every((member) => ['text', 'number', 'choice', 'lines'].includes(kindOf(member)));
}

/** Whether a field can show a value without losing any of it; an absent value always. */
export function fits(field: FormField, value: unknown): boolean {
  if (value === undefined) return true;
  const { kind, schema, members } = field;
  if (kind === 'json') return true;
  if (kind === 'number') return typeof value === 'number';
  if (kind === 'text') return typeof value === 'string' && !/[\r\n]/.test(value);
  if (kind === 'choice') return wordsOf(schema).some((word) => word === value);
  if (kind === 'group') return isObject(value) && membersFit(members, value);
  if (!Array.isArray(value)) return false;
  if (kind === 'choices')
    return value.every((item) => schema.items?.enum?.includes(item)) && new Set(value).size === value.length;
  if (kind === 'lines')
    return value.every((item) => typeof item === 'string' && item === item.trim() && /^[^\r\n]+$/.test(item));
  return value.every((item) => isObject(item) && membersFit(members, item));
}

/** The values that a choice offers. */
export function wordsOf({ enum: words, type }: FieldSchema): readonly unknown[] {
  return words ?? (type === 'boolean' ? [true, false] : []);
}

/** Whether a form of these fields can show a config without losing any of it. */
export function membersFit(fields: readonly FormField[], value: Readonly<Record<string, unknown>>): boolean {
  const named = new Map(fields.map((field) => [field.name, field]));
  return Object.entries(value).every(([name, member]) => {
    const field = named.get(name);
    return field !== undefined && fits(field, member);
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object with a member set, or without it if the value is undefined. Other members keep their order. */
export function withMember(
  object: Readonly<Record<string, unknown>>,
  name: string,
  value: unknown,
): Readonly<Record<string, unknown>> {
  if (value !== undefined) return { ...object, [name]: value };
  return Object.fromEntries(Object.entries(object).filter(([member]) => member !== name));
}

/** The bounds of a field in words, as its schema states them: `20 to 2,000, else 250`. Empty without any. */
export function boundsWords({ schema, isRequired }: Pick<FormField, 'schema' | 'isRequired'>): string {
  const { minimum, maximum, maxLength, minItems, maxItems } = schema;
  const parts = [
    rangeWords(minimum, maximum, ''),
    maxLength === undefined ? '' : `at most ${number(maxLength)} characters`,
    rangeWords(minItems, maxItems, ' of them'),
    isRequired ? 'required' : schema.default === undefined ? '' : `if empty, ${valueWords(schema.default)}`,
  ];
  return parts.filter(Boolean).join('; ');
}

function rangeWords(least: number | undefined, most: number | undefined, noun: string): string {
  if (least === undefined && most === undefined) return '';
  if (least === undefined) return `at most ${number(most)}${noun}`;
  return most === undefined ? `at least ${number(least)}${noun}` : `${number(least)} to ${number(most)}${noun}`;
}

function number(value: number | undefined): string {
  return (value ?? 0).toLocaleString('en-GB', { maximumFractionDigits: 6 });
}

/** A value of a config as text: words as they are, lists and members of objects one after the other. */
export function valueWords(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(valueWords).join(value.some(isObject) ? '; ' : ', ');
  if (!isObject(value)) return JSON.stringify(value) ?? '';
  const members = Object.entries(value).map(([name, member]) => `${name.replaceAll('_', ' ')} ${valueWords(member)}`);
  return members.join(', ');
}
