/** Cuts LaTeX into pieces that can be shown one by one, so that a long derivation folds between its lines. */

export interface Block {
  /** Lines of an align or gathered environment, or the one formula. */
  lines: string[];
  /** Lines carry & for alignment. */
  aligned: boolean;
}

const aligns = ['align*', 'align', 'aligned', 'alignat*', 'gather*', 'gather', 'gathered', 'split', 'multline*', 'equation*', 'equation'];

/** The formulas of a LaTeX text: \[ \], $$ $$ and display environments are taken off; comments are left out. */
export function splitLatex(source: string): Block[] {
  const text = source.replace(/(^|[^\\])%[^\n]*/g, '$1').trim();
  const blocks: Block[] = [];
  const opener = /\\\[|\$\$|\\begin\{([a-z]+\*?)\}/g;
  let rest = 0;
  const plain = (piece: string): void => {
    const body = piece.replace(/^[\s]+|[\s]+$/g, '');
    if (body !== '') {
      blocks.push({ lines: [body], aligned: false });
    }
  };
  // Only openers at the outer level cut: a matrix inside a formula stays.
  let cut = false;
  for (let m = opener.exec(text); m; m = opener.exec(text)) {
    const name = m[1];
    if (name !== undefined && !aligns.includes(name)) {
      const end = endOf(text, m.index);
      opener.lastIndex = end;
      continue;
    }
    const close = name !== undefined ? `\\end{${name}}` : m[0] === '$$' ? '$$' : '\\]';
    const from = m.index + m[0].length;
    const to = name !== undefined ? endOf(text, m.index) - close.length : text.indexOf(close, from);
    if (to < from) {
      return [{ lines: [text], aligned: false }];
    }
    plain(text.slice(rest, m.index));
    const body = text.slice(from, to);
    if (name === undefined) {
      blocks.push(...splitLatex(body));
    } else if (name.startsWith('equation')) {
      plain(body);
    } else {
      pushRuns(blocks, splitLines(body), name.startsWith('gather'));
    }
    rest = to + close.length;
    opener.lastIndex = rest;
    cut = true;
  }
  plain(cut ? text.slice(rest) : text);
  return blocks;
}

/** Lines that align with each other stay together; a line without & stands for itself. */
function pushRuns(blocks: Block[], lines: string[], gathered: boolean): void {
  let run: Block | undefined;
  for (const line of lines) {
    const aligned = /(^|[^\\])&/.test(line) && !gathered;
    if (run === undefined || run.aligned !== aligned) {
      run = { lines: [], aligned };
      blocks.push(run);
    }
    run.lines.push(line);
  }
}

/** Place behind the \end that closes the \begin at `at`; the end of the text if none does. */
function endOf(text: string, at: number): number {
  const marks = /\\(begin|end)\{[^}]*\}/g;
  marks.lastIndex = at;
  let depth = 0;
  for (let m = marks.exec(text); m; m = marks.exec(text)) {
    depth += m[1] === 'begin' ? 1 : -1;
    if (depth === 0) {
      return m.index + m[0].length;
    }
  }
  return text.length;
}

/** Lines between `\\` outside braces and inner environments. */
export function splitLines(body: string): string[] {
  const lines: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < body.length; ++i) {
    if (body[i] === '{') {
      ++depth;
    } else if (body[i] === '}') {
      --depth;
    } else if (body[i] === '\\') {
      if (body.startsWith('\\begin{', i)) {
        i = endOf(body, i) - 1;
        continue;
      }
      if (body[i + 1] === '\\' && depth === 0) {
        lines.push(body.slice(from, i).trim());
        i += 1;
        const space = /^\*?\[[^\]]*\]/.exec(body.slice(i + 1));
        if (space) {
          i += space[0].length;
        }
        from = i + 1;
        continue;
      }
      ++i; // \{ and \} are no braces
    }
  }
  lines.push(body.slice(from).trim());
  return lines.filter((line) => line !== '');
}

/** One display formula from lines of a block. */
export function joinLines(block: Block, lines: string[]): string {
  if (!block.aligned) {
    return lines.length === 1 ? lines[0]! : `\\begin{gathered}${lines.join(' \\\\ ')}\\end{gathered}`;
  }
  return `\\begin{aligned}${lines.join(' \\\\ ')}\\end{aligned}`;
}
