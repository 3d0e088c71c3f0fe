import { h } from '../../kit/elements.ts';
import type { NodeTemplate, WorkflowNode } from '../wire-workflows.ts';
import { configFields } from './config-fields.ts';
import { jsonField } from './json-field.ts';
import { type FieldSchema, fieldsOf, membersFit } from './schema-form.ts';

export type Config = WorkflowNode['config'];

interface ConfigForm {
  readonly template: NodeTemplate | undefined;
  readonly config: Config;
  /** Gets the whole config after each change of a field. */
  changed(config: Config): void;
}

/**
 * A form for a config, made of the schema of its template; as JSON where the owner prefers that, or where the form would
 * lose some of the config.
 */
export function configForm({ template, config, changed }: ConfigForm): HTMLElement {
  const fields = fieldsOf((template?.config_schema ?? {}) as FieldSchema);
  const box = h('div', { class: 'config' });
  let current = config;
  const note = (next: Config) => {
    current = next;
    changed(next);
  };
  const show = (asJson: boolean) => {
    const canShow = fields.length > 0 && membersFit(fields, current);
    const toggle = h('input', { type: 'checkbox', id: 'config-json' });
    toggle.checked = asJson || !canShow;
    toggle.disabled = !canShow;
    toggle.addEventListener('change', () => {
      show(toggle.checked);
      document.querySelector<HTMLElement>('#config-json')?.focus();
    });
    const why = canShow
      ? null
      : h(
          'p',
          { class: 'hint' },
          'These settings do not fit the form of this kind of step, so they are edited as JSON.',
        );
    box.replaceChildren(
      ...(toggle.checked
        ? [
            jsonField({
              label: 'Settings as JSON',
              value: current,
              isObject: true,
              changed: (next) => note(next as Config),
            }),
          ]
        : configFields({ fields, value: current, prefix: 'config', changed: note })),
      ...(why ? [why] : []),
      h('div', { class: 'field check' }, toggle, h('label', { for: 'config-json' }, 'Edit as JSON')),
    );
  };
  show(false);
  return box;
}
