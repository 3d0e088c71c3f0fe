import type { Revision } from './suite.ts';

/**
 * What the suite checks by fixtures of its own, which a real server has not: tools, prompts and resources of fixed names,
 * and capabilities that this server does not offer. An entry is a scenario, or `scenario:check`.
 */
const BY_TOOLS: readonly string[] = [
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-error',
  'tools-call-with-progress',
  'json-schema-2020-12',
];
const BY_OTHERS: readonly string[] = [
  'completion-complete',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
];

/** The extension of tasks, which no revision requires, and which is not offered. */
const TASKS: readonly string[] = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
];

export const NEEDS_FIXTURES: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': [
    ...BY_TOOLS,
    ...BY_OTHERS,
    'logging-set-level',
    'tools-call-with-logging',
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'resources-subscribe',
    'resources-unsubscribe',
  ],
  '2026-07-28': [
    ...BY_TOOLS,
    ...BY_OTHERS,
    ...[
      'sep-2575-server-rejects-undeclared-capability',
      'sep-2575-missing-capability-http-400',
      'sep-2575-http-server-no-independent-requests-on-stream',
      'sep-2575-server-no-log-without-loglevel',
    ].map((check) => `server-stateless:${check}`),
    'input-required-result-basic-elicitation',
    'input-required-result-basic-sampling',
    'input-required-result-basic-list-roots',
    'input-required-result-request-state',
    'input-required-result-multiple-input-requests',
    'input-required-result-multi-round',
    'input-required-result-non-tool-request',
    'input-required-result-result-type',
    'input-required-result-tampered-state',
    'input-required-result-capability-check',
    'http-custom-header-server-validation',
    ...TASKS,
  ],
};

/**
 * What our door does not pass even with the fixtures of the suite. In the revisions before 2026-07-28 a server asks its
 * client in the middle of a call, by a stream that stays open: our replies are whole, and no session connects two messages.
 */
export const BEYOND_THE_DOOR: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': [
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
  ],
  '2026-07-28': TASKS,
};
