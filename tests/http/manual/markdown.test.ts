import { expect, test } from '@jest/globals';
import { renderMarkdown, sectionsOf } from '../../../adapters/http/manual/markdown.ts';

const rendered = (text: string) => renderMarkdown(text, (href) => (href.startsWith('../') ? null : `/to/${href}`));

test('HTML of a document is shown as text, in paragraphs, in lines and in code', () => {
  const { content } = rendered('<script>1</script>\n\na <b onclick="x">b</b>\n\n```\n<i>\n```\n');
  expect(content.text).not.toMatch(/<(script|b|i)[ >]/);
  expect(content.text).toContain('&lt;script&gt;1&lt;/script&gt;');
});

test('a comment of a document is not shown, also between two lines', () => {
  const { content } = rendered('one\n\n<!-- measured: read -->\n\ntwo <!-- within --> lines\n\n<!-- a --> <i>b</i>\n');
  expect(content.text).not.toMatch(/measured|within/);
  expect(content.text).toContain('&lt;i&gt;b&lt;/i&gt;');
});

test('a link that is not served is words, and says where it leads', () => {
  const { content } = rendered('[here](page.md) and [there](../x.ts)');
  expect(content.text).toContain('<a href="/to/page.md">here</a>');
  expect(content.text).toContain('<span class="elsewhere" title="In the repository: ../x.ts">there</span>');
});

test('headings have the ids that GitHub gives them; a second one of the same words has a number', () => {
  const { headings, title } = rendered('# The page at `/`\n\n## In *two* ways\n\n## In two ways\n');
  expect(title).toBe('The page at /');
  expect(headings.map(({ id }) => id)).toEqual(['the-page-at-', 'in-two-ways', 'in-two-ways-1']);
});

test('the sections have the ids of the rendered page, and a comment in code is no heading', () => {
  const text = '# One\n\nfirst `word`\n\n```sh\n# no heading\n```\n\n## Two of [them](x.md)\n\nlast\n';
  expect(sectionsOf(text)).toEqual([
    { heading: 'One', id: 'one', text: 'first word sh # no heading' },
    { heading: 'Two of them', id: 'two-of-them', text: 'last' },
  ]);
  expect(rendered(text).headings.map(({ id }) => id)).toEqual(['one', 'two-of-them']);
});
