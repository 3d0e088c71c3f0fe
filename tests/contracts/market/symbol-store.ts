import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SymbolFile, SymbolStore } from '../../../domain/market/symbol-directory.ts';
import { type Contract, type Opened, race } from '../adapters.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 30, 12, minute));

function files(nasdaq: readonly string[], other: readonly string[], created = 0): readonly SymbolFile[] {
  return [
    { name: 'nasdaqlisted', created_at: at(created), symbols: nasdaq },
    { name: 'otherlisted', created_at: at(created), symbols: other },
  ];
}

export const symbolStoreContract: Contract = {
  name: 'listed symbols',
  promises(open) {
    let opened: Opened;
    let symbols: SymbolStore;
    beforeAll(async () => {
      opened = await open();
      symbols = opened.storage.listedSymbols;
    });
    afterAll(() => opened.close());

    test('at first there are none', async () => {
      expect(await symbols.files()).toEqual([]);
      expect(await symbols.changedAt()).toBeNull();
      expect(await symbols.all()).toEqual({ listed: [], delisted: [] });
    });

    test('the symbols of the files are listed, each once', async () => {
      await symbols.replace(files(['MSFT', 'TXN', 'BOTH'], ['BRK.B', 'BOTH']), at(1));
      expect(await sorted()).toEqual({ listed: ['BOTH', 'BRK.B', 'MSFT', 'TXN'], delisted: [] });
      expect(await symbols.changedAt()).toEqual(at(1));
      expect(await byName()).toEqual([
        { name: 'nasdaqlisted', created_at: at(0), symbols: 3, stored_at: at(1) },
        { name: 'otherlisted', created_at: at(0), symbols: 2, stored_at: at(1) },
      ]);
    });

    test('what the next files lack is delisted since the first that lack it, what they move stays listed, what is back is listed', async () => {
      await symbols.replace(files(['MSFT', 'BRK.B'], ['IBM']), at(2));
      expect(await sorted()).toEqual({ listed: ['BRK.B', 'IBM', 'MSFT'], delisted: [left('BOTH', 2), left('TXN', 2)] });
      await symbols.replace(files(['MSFT', 'TXN'], ['IBM']), at(3));
      expect(await sorted()).toEqual({ listed: ['IBM', 'MSFT', 'TXN'], delisted: [left('BOTH', 2), left('BRK.B', 3)] });
      expect(await symbols.changedAt()).toEqual(at(3));
    });

    test('a replacement that is undone has not happened', async () => {
      const before = await sorted();
      const fault = new Error('the work failed');
      const work = opened.storage.transaction(async ({ listedSymbols }) => {
        expect(await listedSymbols.files()).toHaveLength(2);
        await listedSymbols.replace(files(['ONLY'], ['ONE']), at(4));
        throw fault;
      });
      await expect(work).rejects.toBe(fault);
      expect(await sorted()).toEqual(before);
    });

    test('of 20 who replace at once the last one holds, whole', async () => {
      await race(20, (worker) => symbols.replace(files([`A${worker}`, `B${worker}`], ['IBM'], worker), at(10)));
      const [first] = await byName();
      const winner = (Number(first?.created_at) - Number(at(0))) / 60_000;
      expect((await sorted()).listed).toEqual([`A${winner}`, `B${winner}`, 'IBM'].toSorted());
    });

    async function sorted() {
      const { listed, delisted } = await symbols.all();
      return {
        listed: [...listed].sort(),
        delisted: [...delisted].sort((a, b) => (a.symbol < b.symbol ? -1 : 1)),
      };
    }

    function left(symbol: string, minute: number) {
      return { symbol, delisted_at: at(minute) };
    }

    async function byName() {
      return [...(await symbols.files())].sort((a, b) => (a.name < b.name ? -1 : 1));
    }
  },
};
