/** Parts of a model text for colouring. Every letter of the text is in exactly one token, in order. */

export type TokenKind = 'keyword' | 'word' | 'clause' | 'function' | 'name' | 'number' | 'string' | 'comment' | 'operator' | 'space';

export interface Token {
  kind: TokenKind;
  text: string;
}

/** Begin a statement; they are keywords only there. */
const statements = new Set([
  'model', 'parameter', 'coordinate', 'let', 'define', 'kinetic', 'potential', 'mass', 'particle', 'point', 'body', 'planar', 'joint', 'gravity',
  'force', 'torque', 'constraint', 'servo', 'nonideal', 'friction', 'rub', 'speed', 'gauge', 'initial', 'event', 'simulate', 'output', 'for', 'import', 'view',
  'scale', 'compliance',
]);

/** Behind a statement's keyword, before the first of `=` and `:`. */
const clauses = new Set([
  'mass', 'inertia', 'at', 'on', 'orientation', 'angle', 'velocity', 'omega', 'in', 'until', 'every', 'stiff', 'actuators', 'along', 'force', 'torque', 'rising', 'falling',
  'stop', 'record', 'as', 'body', 'joint', 'load', 'weighted', 'box', 'sphere', 'cylinder', 'line', 'spring', 'trail', 'hide', 'camera', 'from', 'to', 'colour', 'color', 'length', 'axis', 'translation', 'rotation', 'step', 'most',
]);

const reserved = new Set(['if', 'then', 'else', 'and', 'or', 'not']);
const constants = new Set(['t', 'pi', 'deg', 'ground']);

const pattern = /(#[^\n]*)|("[^"\n]*"?)|((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|([\p{L}_][\p{L}\p{N}_]*)|(\s+)|([\s\S])/uy;

function continues(last: string): boolean {
  return last !== '' && '+-*/^=,:<>~('.includes(last);
}

export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let depth = 0; // of ( and [
  let begins = true; // a statement may begin here
  let statement = '';
  let last = ''; // last sign that is not space or comment
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [whole, comment, string, number, word, space] = match;
    let kind: TokenKind = 'operator';
    if (comment !== undefined) {
      kind = 'comment';
    } else if (string !== undefined) {
      kind = 'string';
    } else if (number !== undefined) {
      // `1..N` is a range: the dots are not part of the number.
      const dots = whole.endsWith('.') && text[match.index + whole.length] === '.';
      tokens.push({ kind: 'number', text: dots ? whole.slice(0, -1) : whole });
      if (dots) {
        pattern.lastIndex -= 1;
      }
      begins = false;
      last = '0';
      continue;
    } else if (space !== undefined) {
      kind = 'space';
      if (space.includes('\n') && depth === 0 && !continues(last)) {
        begins = true;
      }
    } else if (word !== undefined) {
      kind = wordKind(word, text, pattern.lastIndex, begins, statement, last, depth);
      if (kind === 'keyword') {
        statement = word;
      }
    } else {
      if (whole === '(' || whole === '[') {
        ++depth;
      } else if (whole === ')' || whole === ']') {
        depth = Math.max(0, depth - 1);
      }
    }
    tokens.push({ kind, text: whole });
    if (kind !== 'space' && kind !== 'comment') {
      begins = whole === '{' || whole === ';' || (whole === '}' && depth === 0);
      last = whole.slice(-1);
    }
  }
  return tokens;
}

function wordKind(word: string, text: string, end: number, begins: boolean, statement: string, last: string, depth: number): TokenKind {
  if (reserved.has(word)) {
    return 'word';
  }
  if (begins && statements.has(word) && !isAssigned(text, end)) {
    return 'keyword';
  }
  if (last === '.') {
    return 'name';
  }
  if (/^\s*\(/.test(text.slice(end, end + 40)) && !clauses.has(word)) {
    return 'function';
  }
  if (constants.has(word)) {
    return 'word';
  }
  if (clauses.has(word) && isClause(word, text, end, statement, last, depth)) {
    return 'clause';
  }
  if (/^\(/.test(text.slice(end, end + 1))) {
    return 'function';
  }
  return 'name';
}

/** `mass = 2` assigns to a parameter called mass. */
function isAssigned(text: string, end: number): boolean {
  return /^\s*'*\s*=/.test(text.slice(end, end + 40));
}

/** A clause stands after a word, a bracket or a comma of its statement, and is followed by an operand or the end. */
function isClause(word: string, text: string, end: number, statement: string, last: string, depth: number): boolean {
  const next = /^[ \t]*(.?)/.exec(text.slice(end, end + 40))?.[1] ?? '';
  if (last !== '' && '+-*/^=<>'.includes(last)) {
    return false;
  }
  if (text[end] === '(') {
    return false; // velocity(P) is a function
  }
  if ('+-*/^.,=)\''.includes(next) && next !== '' && !(next === '-' || next === ',')) {
    return false;
  }
  if (statement === 'parameter' || statement === 'coordinate' || statement === 'output' || statement === 'let') {
    return word === 'in' && last !== ',';
  }
  return depth === 0 || word === 'at' || word === 'in' || word === 'on' || word === 'along' || word === 'force' || word === 'torque';
}
