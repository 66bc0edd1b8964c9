import {
  JsonPathFailure,
  JsonPathSyntax,
  evaluateTemplate,
  parseJsonPathTemplate,
  printTemplate,
} from '../../../api/json-path/index.ts';
import { sortedKeys, writeJson } from '../../../api/schema/index.ts';
import { isRecord } from '../../../base/collections/index.ts';
import { messageOf } from '../../../base/errors/index.ts';
import { UsageError } from '../../flags/flags.ts';
import { createColumnWriter } from './columns.ts';

/** Printer of one output format. */
export interface Printer {
  /** True if the printer receives one document, a list of all objects; false if it receives each object. */
  readonly takesList: boolean;
  /** Returns the text of one object or list. */
  readonly print: (object: unknown) => string;
}

/** Source of what printers need beside their argument. */
export interface PrinterInputs {
  readonly read: (path: string) => Promise<string>;
  /** Returns `pod/x` or `cronjob.batch/x`. */
  readonly titleOf: (object: unknown) => string;
  readonly headers: boolean;
}

type Create = (argument: string, inputs: PrinterInputs) => Promise<Printer>;

const document = (print: (object: unknown) => string): Printer => ({ takesList: true, print });

/** Printers by the name in `-o NAME` or `-o NAME=ARGUMENT`. */
const PRINTERS: { readonly [name: string]: Create } = {
  json: async () => document((object) => `${asJson(object)}\n`),
  async yaml() {
    const { toYaml } = await import('../../../api/yaml/index.ts');
    let isFirst = true;
    return document((object) => {
      const text = toYaml(sorted(object));
      const separator = isFirst ? '' : '---\n';
      isFirst = false;
      return separator + text;
    });
  },
  name: async (_, { titleOf }) => ({ takesList: false, print: (object) => `${titleOf(object)}\n` }),
  jsonpath: async (template) => jsonPathPrinter(template),
  'jsonpath-file': async (path, { read }) => jsonPathPrinter(await read(path)),
  'jsonpath-as-json': async (template) => {
    const parsed = parsedPath(template);
    return document(
      (object) => `${asJson(failing(() => evaluateTemplate(parsed, object).flat(), executing(template)))}\n`,
    );
  },
  async 'custom-columns'(given, inputs) {
    const { parseCustomColumns } = await import('./custom-columns.ts');
    return columnsPrinter(parseCustomColumns(given), inputs);
  },
  async 'custom-columns-file'(path, inputs) {
    const { parseCustomColumnsFile } = await import('./custom-columns.ts');
    return columnsPrinter(parseCustomColumnsFile(await inputs.read(path)), inputs);
  },
  'go-template': async (template) => goTemplatePrinter(template),
  'go-template-file': async (path, { read }) => goTemplatePrinter(await read(path)),
  template: async (template) => goTemplatePrinter(template),
  templatefile: async (path, { read }) => goTemplatePrinter(await read(path)),
};

/** Names of the formats that have a printer. Tables (`''` and `wide`) are printed from the server's tables. */
export const outputNames: readonly string[] = Object.keys(PRINTERS);

const WITHOUT_ARGUMENT = new Set(['json', 'yaml', 'name']);

/** Creates the printer of `-o FORMAT` or `-o FORMAT=ARGUMENT`. Throws `UsageError` for any other text. */
export async function createPrinter(output: string, inputs: PrinterInputs): Promise<Printer> {
  const [, name = '', argument] = /^([^=]*)(?:=([^]*))?$/.exec(output) ?? [];
  const create = Object.hasOwn(PRINTERS, name) ? PRINTERS[name] : undefined;
  if (create === undefined || (WITHOUT_ARGUMENT.has(name) && argument !== undefined))
    throw new UsageError(
      `invalid --output ${JSON.stringify(output)}: expected wide, ${outputNames.map((each) => (WITHOUT_ARGUMENT.has(each) ? each : `${each}=…`)).join(', ')}`,
    );
  if (!WITHOUT_ARGUMENT.has(name) && !argument)
    throw new UsageError(`--output ${name} needs a template: expected ${name}=…`);
  return create(argument ?? '', inputs);
}

/** Returns the value with the keys of its objects in alphabetical order, as kubectl prints them. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
};

/** Writes JSON with four spaces, sorted keys and escaped HTML, as Go's `json.MarshalIndent`. */
const asJson = (value: unknown): string =>
  writeJson(value, sortedKeys, 4).replace(
    /[<>&\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

function parsedPath(template: string): ReturnType<typeof parseJsonPathTemplate> {
  try {
    return parseJsonPathTemplate(template);
  } catch (thrown) {
    if (thrown instanceof JsonPathSyntax)
      throw new UsageError(`error parsing jsonpath ${template}, ${thrown.message}`);
    throw thrown;
  }
}

const executing = (template: string): string => `error executing jsonpath ${JSON.stringify(template)}: `;

function failing<T>(evaluate: () => T, prefix = ''): T {
  try {
    return evaluate();
  } catch (thrown) {
    if (thrown instanceof JsonPathFailure) throw new UsageError(`${prefix}${thrown.message}`);
    throw thrown;
  }
}

function jsonPathPrinter(template: string): Printer {
  const parsed = parsedPath(template);
  return document((object) => failing(() => printTemplate(parsed, object), executing(template)));
}

async function goTemplatePrinter(template: string): Promise<Printer> {
  const { TemplateError, evaluateGoTemplate, parseGoTemplate } = await import('./go-template/index.ts');
  const attempt = <T>(what: string, work: () => T): T => {
    try {
      return work();
    } catch (thrown) {
      if (thrown instanceof TemplateError)
        throw new UsageError(`error ${what} template: ${messageOf(thrown)}`);
      throw thrown;
    }
  };
  const parsed = attempt('parsing', () => parseGoTemplate(template));
  return document((object) => attempt('executing', () => evaluateGoTemplate(parsed, object)));
}

async function columnsPrinter(
  columns: Parameters<typeof import('./custom-columns.ts').customCells>[0],
  { headers }: PrinterInputs,
): Promise<Printer> {
  const { customCells } = await import('./custom-columns.ts');
  const write = createColumnWriter();
  let isFirst = headers;
  return {
    // All rows are needed for the widths.
    takesList: true,
    print(object) {
      const items =
        isRecord(object) && Array.isArray(object['items']) ? (object['items'] as unknown[]) : [object];
      const rows = items.map((item) => failing(() => customCells(columns, item)));
      const lines = isFirst ? [columns.map(({ name }) => name), ...rows] : rows;
      isFirst = false;
      return write(lines);
    },
  };
}
