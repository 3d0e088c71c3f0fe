import { h } from '../../kit/elements.ts';
import { areaField, choiceField, type Field, textField } from '../../kit/forms.ts';
import type { Draft, Visibility } from '../wire-workflows.ts';
import type { WorkflowEditor } from './workflow-editor.ts';

/** Name, description, tags and visibility; each is taken over when its field is left. */
export function draftTexts(editor: WorkflowEditor, signal: AbortSignal): HTMLElement {
  const fields: Readonly<Record<'name' | 'description' | 'tags' | 'visibility', Field>> = {
    name: textField({ name: 'name', label: 'Name' }, { autocomplete: 'off' }),
    description: areaField({ name: 'description', label: 'Description', hint: 'What it is for and when to use it.' }),
    tags: areaField({ name: 'tags', label: 'Tags', hint: 'One a line.' }, { rows: 2 }),
    visibility: choiceField(
      {
        name: 'visibility',
        label: 'Visibility',
        hint: 'Of the next publication. What was published for everybody stays readable.',
      },
      [
        ['private', 'private'],
        ['public', 'public'],
      ],
    ),
  };
  const show = () => {
    const { name, description, tags, visibility } = editor.draft;
    const values = { name, description, tags: tags.join('\n'), visibility };
    for (const [member, field] of Object.entries(fields)) {
      const value = values[member as keyof typeof values];
      if (field.control.value !== value) field.control.value = value;
    }
  };
  for (const [member, { control }] of Object.entries(fields)) {
    control.addEventListener('change', () => {
      editor.edit({ ...editor.draft, [member]: parsedValue(member as keyof typeof fields, control.value) }, 'typed');
    });
  }
  editor.on((event) => (event === 'edited' || event === 'saved') && show(), signal);
  show();
  return h(
    'details',
    { class: 'draft-texts' },
    h('summary', {}, 'Name, description, tags, visibility'),
    h('div', { class: 'form' }, ...Object.values(fields).map(({ element }) => element)),
  );
}

function parsedValue(member: 'name' | 'description' | 'tags' | 'visibility', text: string): Draft[typeof member] {
  if (member === 'visibility') return text as Visibility;
  if (member !== 'tags') return text;
  return text
    .split('\n')
    .map((tag) => tag.trim())
    .filter(Boolean);
}
