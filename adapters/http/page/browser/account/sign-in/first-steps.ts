import { h } from '../../kit/elements.ts';
import { copyLine } from '../../kit/secrets.ts';

/** How an agent uses a key: the same first request by curl, in Python and over MCP. */
export function firstSteps(): HTMLElement {
  const { origin } = location;
  const setting = `export STANCEBOOK_URL=${origin} STANCEBOOK_API_KEY=`;
  return h(
    'section',
    { class: 'steps' },
    h('h2', {}, 'The next step'),
    h('p', {}, 'Put the key into the environment of your agent; type it after the equals sign.'),
    copyLine(setting),
    h('h3', {}, 'With curl'),
    h('p', {}, 'Ask what the key may do.'),
    copyLine('curl -s $STANCEBOOK_URL/api/v1/public/auth/status -H "X-API-Key: $STANCEBOOK_API_KEY"'),
    h('h3', {}, 'In Python'),
    h('p', {}, 'The client is one file of the standard library; it reads both variables.'),
    copyLine('curl -s $STANCEBOOK_URL/clients/stancebook.py > stancebook.py && python3 stancebook.py limits'),
    h('h3', {}, 'By the Model Context Protocol'),
    h('p', {}, 'Point the client of your model at this address, with the key in the header X-API-Key.'),
    copyLine(`${origin}/mcp`),
    h(
      'p',
      {},
      'Then let the agent read ',
      h('a', { href: '/skill.md' }, '/skill.md'),
      ': how to submit a decision, check it and query cohorts. ',
      h('a', { href: '/docs' }, 'The reference'),
      ' has every request.',
    ),
  );
}
