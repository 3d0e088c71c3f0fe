import { nearestSymbols } from '../../../domain/market/symbol-directory.ts';
import { COMMON_OPTIONS, optionsIn, VERBS, type Verb } from './verbs.ts';

/** By their names. */
export type Verbs = Readonly<Record<string, Verb>>;

const WIDTH = 110;

const REST = `The address is --url, STANCEBOOK_URL or that of the login; the key is STANCEBOOK_API_KEY or that of the login.
Exit code 0: done. 1: the service refused, or cannot be reached. 2: the command is wrong.`;

/**
 * All verbs with their summaries.
 * @param operating those of a program that can also run the service
 */
export function helpText(operating: Verbs): string {
  const head = [
    'Usage: stancebook COMMAND [--url URL] [--allow-http]',
    '       stancebook help COMMAND',
    '       stancebook --version',
  ];
  const sections = [...(Object.keys(operating).length > 0 ? [['Run a service', operating] as const] : [])];
  const all = [...sections, ['Use one', VERBS] as const];
  const texts = all.map(
    ([title, verbs]) =>
      `${title}:\n${Object.entries(verbs)
        .map(([name, verb]) => entryOf(name, verb))
        .join('\n')}`,
  );
  return `${[head.join('\n'), ...texts, REST].join('\n\n')}\n`;
}

/** One verb with its summary. */
export function helpOf(name: string, verb: Verb): string {
  return `Usage: stancebook ${[name, verb.usage].filter(Boolean).join(' ')}\n${wrapped(verb.summary, '  ')}\n`;
}

/** That there is no such verb, and which one was meant. */
export function unknownVerb(name: string, verbs: Verbs): string {
  const names = Object.keys(verbs).map((each) => each.toUpperCase());
  const [meant] = nearestSymbols(name.toUpperCase(), names, 1);
  return `There is no command ${name}.${meant === undefined ? '' : ` Did you mean ${meant.toLowerCase()}?`}`;
}

function entryOf(name: string, { usage, summary }: Verb): string {
  return `${wrapped(`${name} ${usage}`.trim(), '  ', '         ')}\n${wrapped(summary, '      ')}`;
}

/** Lines of at most so many characters, between words; an option and its value stay on one line. */
function wrapped(text: string, indent: string, next = indent): string {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.match(/\[[^\]]*\]\S*|\S+/g) ?? []) {
    if (line.length + word.length > WIDTH) {
      lines.push(line.trimEnd());
      line = next;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()].join('\n');
}

const SHELLS: Readonly<Record<string, (verbs: Verbs) => string>> = { bash, zsh, fish };

/** What the shell runs to complete commands of `stancebook`; null for one that is not known. */
export function completionFor(shell: string, verbs: Verbs): string | null {
  return Object.hasOwn(SHELLS, shell) ? (SHELLS[shell]?.(verbs) ?? null) : null;
}

/** The options of a verb with its two hyphens. */
function optionsOf(verb: Verb): readonly string[] {
  return [...optionsIn(verb), ...COMMON_OPTIONS].map((name) => `--${name}`);
}

function bash(verbs: Verbs): string {
  const cases = Object.entries(verbs).map(([name, verb]) => `    ${name}) words="${optionsOf(verb).join(' ')}" ;;`);
  return `_stancebook() {
  local words="" word="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then words="${Object.keys(verbs).join(' ')} help --version"; else
    case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    help) words="${Object.keys(verbs).join(' ')}" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _stancebook stancebook
`;
}

function zsh(verbs: Verbs): string {
  return `#compdef stancebook
autoload -U +X bashcompinit && bashcompinit
${bash(verbs)}`;
}

function fish(verbs: Verbs): string {
  const lines = Object.entries(verbs).flatMap(([name, verb]) => [
    `complete -c stancebook -n __fish_use_subcommand -f -a ${name} -d '${brief(verb.summary)}'`,
    ...optionsOf(verb).map(
      (option) => `complete -c stancebook -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
    ),
  ]);
  return `${lines.join('\n')}\n`;
}

/** Its first words, without quotes. */
function brief(summary: string): string {
  return (summary.split(/[;:]/)[0] ?? '').replaceAll("'", '');
}
