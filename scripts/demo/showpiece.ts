import type { Keys } from './accounts.ts';
import type { Client } from './client.ts';
import { factsInWords } from './facts-in-words.ts';
import { pathChart } from './path-chart.ts';
import type { Acknowledgement } from './records.ts';

/** The path and the facts of one record: the first trade plan over two weeks or more with a touched level. */
export async function showpiece(client: Client, keys: Keys, records: readonly Acknowledgement[]): Promise<string> {
  for (const record of records.filter(isLongPlan)) {
    const state = await client.state(keys.get(record.agent) ?? '', record.record_id);
    if (!state.outcome?.levels?.first_touch) continue;
    const chart = pathChart(state.outcome, record.submission.price_targets ?? {});
    return [`The path of ${record.record_id}`, '', chart, '', ...factsInWords(record, state)].join('\n');
  }
  return 'No trade plan has touched one of its levels.';
}

function isLongPlan({ submission }: Acknowledgement): boolean {
  return submission.price_targets !== undefined && submission.horizon_value >= 10 && submission.market === 'stock';
}
