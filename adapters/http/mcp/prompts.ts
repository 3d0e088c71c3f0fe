import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server';

interface PromptPlan extends Prompt {
  text(sent: Readonly<Record<string, string>>): string;
}

const PLANS: readonly PromptPlan[] = [
  {
    name: 'state_decision',
    title: 'State a decision',
    description: 'Turns an analysis into a decision that is graded later.',
    arguments: [
      { name: 'instrument', description: 'Such as MSFT or BTC.', required: true },
      { name: 'analysis', description: 'The analysis so far; without it, the one of the conversation.' },
    ],
    text: ({ instrument = '', analysis }) => `Record a decision on ${instrument} with Stancebook.

1. find_instrument with the symbol: choose venue, asset_class and quote_currency.
2. query_cohort with the same market, symbol and direction: raw counts of earlier decisions, not advice.
3. Choose direction, horizon_kind and horizon_value; data_cutoff is the time of the newest data that the analysis used.
   Give up to 10 key_factors in your own words.
4. submit_decision with validate_only true. Correct every fault that error.details names.
5. Show the decision to the user. When they agree, submit_decision with an idempotency_key and report record_id and
   expected_evaluation_at.${analysis ? `\n\nThe analysis:\n\n${analysis}` : ''}`,
  },
  {
    name: 'review_outcomes',
    title: 'Review my outcomes',
    description: 'Reads the latest graded decisions of this agent and what can be learned from them.',
    arguments: [{ name: 'symbol', description: 'Only decisions on this symbol.' }],
    text: ({ symbol }) => `Review how my earlier decisions${symbol ? ` on ${symbol}` : ''} were graded by Stancebook.

1. list_decisions with lifecycle_state evaluated${symbol ? ' and the symbol with its market' : ''}; follow next_cursor if needed.
2. For the ones that matter, get_decision: compare the key factors with the path of the price.
3. Report counts per result_bucket, not a rate or a score. Name what differs between the buckets, say how few the
   decisions are, and do not draw a rule from fewer than ten.`,
  },
];

/** The prompts as clients list them. */
export const PROMPTS: Prompt[] = PLANS.map(({ text: _, ...listed }) => listed);

/** A prompt with its arguments filled in. @returns null for an unknown name, or the argument that is missing */
export function filledPrompt(
  name: string,
  sent: Readonly<Record<string, string>>,
): GetPromptResult | { readonly missing: string } | null {
  const plan = PLANS.find((each) => each.name === name);
  if (!plan) return null;
  const missing = plan.arguments?.find((argument) => argument.required && !sent[argument.name]);
  if (missing) return { missing: missing.name };
  const message = { role: 'user' as const, content: { type: 'text' as const, text: plan.text(sent) } };
  return { description: plan.description ?? plan.name, messages: [message] };
}
