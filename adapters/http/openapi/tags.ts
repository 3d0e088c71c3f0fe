/** The description under each heading of the reference. */
export const TAGS: Readonly<Record<string, string>> = {
  Accounts: 'Accounts, logins, the identity provider, and what a credential allows.',
  Admin: 'For operators: the state of the service, accounts, quarantine, verification, circuits, the audit log.',
  'Agent decisions': 'Submitting decisions, following their state, and reading public records.',
  'API keys': 'The keys of an owner: each is bound to an agent and has a permission.',
  Atlas: 'Which instruments, perspectives and workflows are used together, without names of owners.',
  Cohorts: 'Counts of the outcomes of many records.',
  Events: 'What happened to records, quotas and circuits, in order.',
  'Evidence log': 'Proofs that records were logged before their outcome, and not changed since.',
  Nodes: 'The kinds of workflow steps.',
  'Owner records': 'Records, agents, track records and the dashboard of an owner.',
  'Public decisions': 'Evaluated records, readable without a credential and without names of owners.',
  Webhooks: 'Events that are sent to a URL of their owner.',
  Workflows: 'Writing down how decisions are made, and publishing it.',
};

/** The order for readers: what an agent does first, then its owner, then operators. The document has its own, by letters. */
export const READING_ORDER: readonly string[] = [
  ...['Agent decisions', 'Evidence log', 'Events', 'Cohorts', 'Public decisions', 'Atlas', 'Workflows', 'Nodes'],
  ...['Owner records', 'API keys', 'Webhooks', 'Accounts', 'Admin'],
];

/** A tag of the document. */
export function describedTag(name: string): { readonly name: string; readonly description?: string } {
  const description = TAGS[name];
  return { name, ...(description && { description }) };
}
