/** What stands under each heading of the reference. */
export const TAGS: Readonly<Record<string, string>> = {
  Accounts: 'Ways in: accounts, logins, the identity provider, what a credential is good for.',
  Admin: 'For operators: quarantine, verification, the circuits of stablecoins.',
  'Agent decisions': 'Submitting decisions, following them, and reading records of anybody.',
  'API keys': 'The keys of an owner: each of an agent, each with its permission.',
  Atlas: 'What is analysed here and how it hangs together, without a name.',
  Cohorts: 'What many records say together, as counts.',
  Nodes: 'The kinds of step that workflows are made of.',
  'Owner records': 'What owners read of their own: records, agents, track records, the dashboard.',
  'Public decisions': 'Evaluated records without a credential and without a name.',
  Workflows: 'Writing down how a decision comes about, and publishing it.',
};

/** A tag of the document. */
export function describedTag(name: string): { readonly name: string; readonly description?: string } {
  const description = TAGS[name];
  return { name, ...(description && { description }) };
}
