import type { ShownFacts } from '../../../../../domain/decisions/views/views.ts';
import type { Eval2Facts } from '../../../../../domain/grading/method-facts.ts';
import type { OutcomeFacts } from '../../../../../domain/grading/outcome.ts';
import { counted, instant, percent, price, signed } from '../kit/value-texts.ts';
import type { Detail } from '../kit/wire.ts';
import type { Fact } from './record-facts.ts';

/** The outcome: facts of the price path, and the bucket that follows from z. */
export function outcomeFacts({ result_bucket, direction, market }: Detail, outcome: ShownFacts): readonly Fact[] {
  const { entry, exit, mfe, mae, raw_return, z, tau, sigma_d, had_said } = outcome;
  return [
    { name: 'Entry', value: pointWords(entry) },
    {
      name: 'Exit',
      value: `${pointWords(exit)}${outcome.delisted_exit ? ', the last print before it was delisted' : ''}`,
    },
    { name: 'Return', value: percent(raw_return), about: 'exit over entry, adjusted for splits and dividends' },
    ...(mfe
      ? [{ name: 'MFE', value: `${percent(mfe.value)} by ${instant(mfe.time)}`, about: 'largest favourable excursion' }]
      : []),
    {
      name: 'MAE',
      value: `${percent(mae.value)} by ${instant(mae.time)}`,
      about: direction === 'neutral' ? 'largest move in either direction' : 'largest adverse excursion',
    },
    {
      name: 'z',
      value: signed(z, 4),
      about: `the move in sigmas of the window: ${percent(sigma_d).replace('+', '')} a day over ${Number(tau.toFixed(4))} ${market === 'stock' ? 'sessions' : 'days'}`,
    },
    ...(result_bucket ? [{ name: 'Bucket', value: result_bucket, about: 'which of four ranges z lies in' }] : []),
    {
      name: 'In this window',
      value: `bullish ${had_said.bullish}, bearish ${had_said.bearish}, neutral ${had_said.neutral}`,
      about: 'the bucket that each direction would have got',
    },
    { name: 'Prices', value: priceWords(outcome) },
    ...(outcome.method === 'eval/1' ? [] : windowFacts(outcome)),
    { name: 'Method', value: outcome.method },
  ];
}

function priceWords(outcome: OutcomeFacts): string {
  const { source, bar_size, coverage, halted } = outcome;
  const observed = `${source}, bars of ${bar_size}, ${coverage.bars_observed} of ${coverage.bars_expected} observed`;
  const trades = outcome.method === 'eval/1' ? [] : tradeWords(outcome);
  return [observed, ...(halted ? ['with a halt'] : []), ...trades].join(', ');
}

function tradeWords({ bars_traded, bars_expected, carried_open, suspected_split }: Eval2Facts): readonly string[] {
  return [
    `${bars_traded} with trades on a path of ${bars_expected}`,
    ...(carried_open ? ['most opens before it repeat the close before'] : []),
    ...(suspected_split ? ['a jump looks like a split that is not known'] : []),
  ];
}

function windowFacts({ omega, grid_z, seconds_to_entry, seconds_after_exit }: Eval2Facts): readonly Fact[] {
  const [before, after] = [counted(seconds_to_entry, 'second'), counted(seconds_after_exit, 'second')];
  return [
    { name: 'Timing', value: `${before} from the anchor to the entry, ${after} from the exit to the end` },
    { name: 'Price step', value: signed(grid_z, 4), about: 'one step of the price in sigmas of the window' },
    ...(omega === null
      ? []
      : [{ name: 'Nights', value: percent(omega).replace('+', ''), about: 'their share in the daily variance' }]),
  ];
}

function pointWords({ time, price: traded, adjusted_price }: OutcomeFacts['entry']): string {
  const adjusted = price(adjusted_price) === price(traded) ? '' : ` (${price(adjusted_price)} in units of the exit)`;
  return `${price(traded)}${adjusted} at ${instant(time)}`;
}
