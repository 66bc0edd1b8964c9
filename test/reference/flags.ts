import {
  chaosCoverageFlags,
  chaosExploreFlags,
  chaosMuseumFlags,
  chaosMutantsFlags,
} from '../../cli/chaos/explore-flags.ts';
import { chaosReplayFlags, chaosRunFlags } from '../../cli/chaos/run-flags.ts';
import { chaosLiveFlags } from '../../cli/chaos/live-flags.ts';
import { chaosProxyFlags } from '../../cli/chaos/proxy-flags.ts';
import { connectionFlags } from '../../cli/ctl/connection-flags.ts';
import { verbs } from '../../cli/ctl/verbs.ts';
import { whyFlags } from '../../cli/ctl/why.ts';
import {
  apiServerCommandFlags,
  controllerManagerFlags,
  dashboardFlags,
  machinesFlags,
  upFlags,
} from '../../cli/flags/flag-tables.ts';
import type { Flag, FlagTable } from '../../cli/flags/flags.ts';
import { groupsOf } from '../../cli/help/flag-groups.ts';
import { cell, code, page, table } from './markdown.ts';

/** Flags of each verb of `orchctl` that has any. */
const ctlFlags: Readonly<Record<string, FlagTable>> = Object.fromEntries(
  (
    await Promise.all(
      Object.entries(verbs).map(
        async ([name, { load }]) => [`orchctl ${name}`, (await load()).flags] as const,
      ),
    )
  ).filter(([, flags]) => Object.keys(flags).length > 0),
);

const defaultOf = ({ fallback, shown }: Flag<unknown>): string =>
  shown ?? (Array.isArray(fallback) ? fallback.join(',') : String(fallback));

const flagTable = (flags: FlagTable): string =>
  table(
    ['flag', 'default', 'meaning'],
    Object.entries(flags).map(([name, flag]) => [code(`--${name}`), code(defaultOf(flag)), cell(flag.help)]),
  );

/** Returns a section for each subject. */
const bySubject = (flags: FlagTable): readonly string[] =>
  groupsOf(flags).flatMap(({ subject, flags: group }) => [`## ${subject}`, flagTable(group)]);

const sections = (commands: Readonly<Record<string, FlagTable>>): readonly string[] =>
  Object.entries(commands).flatMap(([name, flags]) => [`## ${name}`, flagTable(flags)]);

const FORM =
  'Write a flag as `--name value` or `--name=value`; a switch alone means true. Repeat a list flag or separate its items by commas. A flag with the product name is also accepted under its upstream name.';

export const apiServerFlagsPage = (): string =>
  page(
    'Flags of the API server',
    `\`orch apiserver\` has these flags. \`orch up\` has them too, with [those of the controllers](flags-controller-manager.md). ${FORM}`,
    ...bySubject(apiServerCommandFlags),
  );

export const controllerManagerFlagsPage = (): string => {
  const together = Object.fromEntries(
    Object.entries(upFlags).filter(
      ([name]) => !Object.hasOwn(apiServerCommandFlags, name) && !Object.hasOwn(controllerManagerFlags, name),
    ),
  );
  return page(
    'Flags of the controller manager',
    `\`orch controller-manager\` has these flags. \`orch up\` has them too, except those about leader election and the connection. ${FORM}`,
    ...bySubject(controllerManagerFlags),
    '## Only in orch up',
    flagTable(together),
  );
};

export const toolFlagsPage = (): string =>
  page(
    'Flags of the tools',
    `Flags of \`orch dashboard\`, \`orch machines\`, \`orch chaos\` and \`orchctl\`. ${FORM}`,
    ...sections({
      'orch dashboard': dashboardFlags,
      'orch machines': machinesFlags,
      'orch why': whyFlags,
      'orch chaos run': chaosRunFlags,
      'orch chaos replay': chaosReplayFlags,
      'orch chaos explore': chaosExploreFlags,
      'orch chaos mutants': chaosMutantsFlags,
      'orch chaos coverage': chaosCoverageFlags,
      'orch chaos museum': chaosMuseumFlags,
      'orch chaos live': chaosLiveFlags,
      'orch chaos proxy': chaosProxyFlags,
      'every orchctl command': connectionFlags,
      ...ctlFlags,
    }),
  );
