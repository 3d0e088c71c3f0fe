import { areaField } from '../../kit/forms.ts';

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
