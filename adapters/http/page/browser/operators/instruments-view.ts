import { ask } from '../kit/ask.ts';
import { announce } from '../kit/dialogs.ts';
import { button } from '../kit/elements.ts';
import { choiceField, textField, type Visit } from '../kit/forms.ts';
import { instant } from '../kit/value-texts.ts';
import { showFilteredList } from './filtered-list.ts';
import type { WireInstrument } from './wire-operators.ts';

const TITLE = 'Instruments';

/** The known instruments and queued refreshes, each with its refresh. */
export async function show(view: HTMLElement, visit: Visit): Promise<string> {
  let again: () => Promise<unknown> = async () => undefined;
  const refresh = async ({ instrument }: WireInstrument) => {
    const { market, symbol, venue, asset_class, quote_currency } = instrument;
    const named = [market, symbol, venue, asset_class, quote_currency].map(encodeURIComponent).join('/');
    await ask(`/api/v1/admin/instruments/${named}/refresh`, { method: 'POST' });
    await again();
    announce(`${symbol} is verified again; its failed decisions are tried again.`);
  };
  again = await showFilteredList<WireInstrument>(view, visit, {
    title: TITLE,
    view: 'instruments',
    path: '/api/v1/admin/instruments',
    what: 'the instruments',
    more: 'Show more instruments',
    none: 'No instrument matches.',
    filters: [
      choiceField({ name: 'status', label: 'State' }, [
        ['', 'all'],
        ['rejected', 'rejected'],
        ['unreachable', 'no source could be asked'],
        ['queued', 'refresh queued'],
        ['verified', 'verified'],
      ]),
      textField({ name: 'symbol', label: 'Symbol', hint: 'As it is stored: BTC, MSFT.' }),
    ],
    columns: [
      {
        title: 'Instrument',
        cell: ({ instrument: i }) => `${i.market} ${i.symbol} ${i.venue} ${i.asset_class} ${i.quote_currency}`,
      },
      { title: 'State', cell: ({ status }) => status ?? 'not verified yet' },
      { title: 'Checked', cell: ({ checked_at }) => (checked_at ? instant(checked_at) : 'never') },
      { title: 'Asked again', cell: ({ retry_at }) => (retry_at ? instant(retry_at) : '') },
      { title: 'Last error', cell: ({ last_error }) => last_error ?? '' },
      { title: 'Refresh', cell: ({ refresh: queued }) => (queued ? `queued ${instant(queued.requested_at)}` : '') },
      { title: 'Actions', kind: 'actions', cell: (row) => button('Verify again', () => refresh(row)) },
    ],
  });
  return TITLE;
}
