import { SENT_EVENT_TYPES } from '../../kit/domain.ts';
import { h } from '../../kit/elements.ts';
import { checkField, type Field, form, isChecked, textField } from '../../kit/forms.ts';
import type { Schemas } from '../../kit/schemas.ts';

type Draft = Pick<Schemas['Webhook'], 'url' | 'event_types' | 'description'>;

/** The form of a new webhook, or of one that is changed. */
export function webhookForm(action: string, send: (body: Draft) => Promise<unknown>, known?: Draft): HTMLFormElement {
  const url = textField(
    {
      name: 'url',
      label: 'Address',
      hint: 'An https URL with a host of the public internet. Redirects are not followed.',
    },
    { type: 'url', required: true, value: known?.url, placeholder: 'https://example.com/webhooks' },
  );
  const description = textField(
    { name: 'description', label: 'Description (optional)' },
    { value: known?.description },
  );
  const types = SENT_EVENT_TYPES.map((type) =>
    checkField({ name: type, label: type }, known?.event_types?.includes(type) ?? false),
  );
  const made = form({
    fields: [url, choiceOf(types), description],
    action,
    async send() {
      const chosen = SENT_EVENT_TYPES.filter((_, i) => types[i] !== undefined && isChecked(types[i]));
      await send({
        url: url.control.value,
        event_types: chosen.length === 0 ? null : chosen,
        description: description.control.value.trim(),
      });
      if (!known) made.reset();
    },
  });
  return made;
}

/** The boxes as one field, whose faults are those of `event_types`. */
function choiceOf(types: readonly Field[]): Field {
  const fault = h('p', { class: 'fault' });
  const element = h(
    'fieldset',
    { class: 'field' },
    h('legend', {}, 'Events: none chosen means all, also those of later versions'),
    h('div', {}, ...types.map((type) => type.element)),
    fault,
  );
  const [first] = types;
  if (!first) throw new Error('There is no type of event.');
  const showFault = (message: string | null) => {
    fault.textContent = message ?? '';
  };
  return { element, control: first.control, name: 'event_types', showFault };
}
