import { announce } from '../../kit/announcements.ts';
import { ask } from '../../kit/ask.ts';
import { wantsNotices } from '../../kit/domain.ts';
import { checkField, choiceField, form, isChecked, textField, textOf } from '../../kit/forms.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { showReading } from '../../kit/states.ts';
import type { Visit } from '../../kit/visit.ts';

const PREFERENCES = '/api/v1/owner/preferences';

/** An empty change returns what is stored, so the form begins with that. */
export async function showPreferences(box: HTMLElement, { signal }: Visit): Promise<void> {
  await showReading(box, signal, {
    what: 'your preferences',
    read: () => ask<Schemas['Preferences']>(PREFERENCES, { method: 'PUT', body: {}, signal }),
    show: (stored) => [preferencesForm(stored)],
  });
}

function preferencesForm(stored: Schemas['Preferences']): HTMLElement {
  const name = textField(
    { name: 'display_name', label: 'Name', hint: 'Shown only to you.' },
    { value: stored.display_name },
  );
  const zone = textField(
    {
      name: 'timezone',
      label: 'Time zone',
      hint: 'Such as Europe/Berlin. This page shows UTC; your programs read it.',
    },
    { value: stored.timezone, autocomplete: 'off' },
  );
  const locale = textField(
    { name: 'locale', label: 'Language', hint: 'Such as en-GB. Your programs read it.' },
    { value: stored.locale, autocomplete: 'off' },
  );
  const visibility = choiceField(
    { name: 'default_workflow_visibility', label: 'A new workflow is' },
    [
      ['private', 'private'],
      ['public', 'public'],
    ],
    stored.default_workflow_visibility,
  );
  let wanted = wantsNotices(stored.notify);
  const notices = checkField(
    {
      name: 'notify',
      label: 'Mail me notices',
      hint: 'Of sign-ins from new networks, lockouts, new keys and keys that expire, where the service sends mail.',
    },
    wanted,
  );
  return form({
    fields: [name, zone, locale, visibility, notices],
    action: 'Save',
    async send() {
      const body = {
        display_name: textOf(name) ?? null,
        timezone: textOf(zone) ?? null,
        locale: textOf(locale) ?? null,
        default_workflow_visibility: visibility.control.value,
        // `notify` is the owner's to fill, so the page writes what was chosen here and nothing else.
        ...(isChecked(notices) === wanted ? {} : { notify: { mail: { notices: isChecked(notices) } } }),
      };
      await ask(PREFERENCES, { method: 'PUT', body });
      wanted = isChecked(notices);
      announce('The preferences are saved.');
    },
  });
}
