import { parse, parseAllDocuments } from 'yaml';
import { CodedError, messageOf } from '../errors/index.ts';
import { yamlPlace } from './place.ts';

/**
 * Error of a text that is neither YAML nor JSON. The message names the line and column. It quotes nothing,
 * because a file may contain secrets.
 */
export class YamlFileError extends CodedError<'ERR_YAML'> {
  constructor(cause: unknown) {
    const place = yamlPlace(cause);
    const reason = place === '' && /alias/i.test(messageOf(cause)) ? ' (too many aliases)' : place;
    super('ERR_YAML', `is neither YAML nor JSON${reason}`, { cause });
  }
}

/** The parser would print its warnings, with lines of the file, to standard error. */
const SILENT = { logLevel: 'error' } as const;

/** Parses the document of a configuration file in YAML 1.2 or JSON. Throws `YamlFileError`. */
export function parseYamlFile(text: string): unknown {
  try {
    return parse(text, SILENT) as unknown;
  } catch (cause) {
    throw new YamlFileError(cause);
  }
}

/**
 * Parses all documents of a file. Integers are given to `reviver` as `bigint`. Empty documents are omitted.
 * Throws `YamlFileError`.
 */
export function parseYamlDocuments(
  text: string,
  reviver: (key: unknown, value: unknown) => unknown,
): readonly unknown[] {
  return [...parseAllDocuments(text, { ...SILENT, intAsBigInt: true })].flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new YamlFileError(error);
    try {
      const value: unknown = document.toJS({ reviver });
      return value === null || value === undefined ? [] : [value];
    } catch (cause) {
      throw new YamlFileError(cause);
    }
  });
}
