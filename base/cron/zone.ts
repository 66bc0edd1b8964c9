import { IANAZone } from 'luxon';

/** Offset from UTC, in milliseconds, at an instant. */
export interface Zone {
  readonly name: string;
  offsetMs(atMs: number): number;
}

export const utc: Zone = { name: 'UTC', offsetMs: () => 0 };

/** Other names of it: asking `Intl` for what never changes is dear. */
const UTC_NAMES = [
  'Etc/UTC',
  'Etc/UCT',
  'Etc/Universal',
  'Etc/Zulu',
  'Etc/GMT',
  'GMT',
  'UCT',
  'Zulu',
  'Universal',
];

/** Names that tz data knows and `Intl` does not list among its canonical ones. */
const canonical = new Set(Intl.supportedValuesOf('timeZone'));
const zones = new Map<string, Zone>(
  [utc, ...UTC_NAMES.map((name): Zone => ({ ...utc, name }))].map((zone) => [zone.name, zone]),
);

/**
 * Whether `name` is an IANA time zone in its exact case. Links (`US/Eastern`) are zones too; `Local` and the empty name,
 * which Go would read as the process's own zone, are not.
 */
export function isTimeZone(name: string): boolean {
  if (zones.has(name) || canonical.has(name)) return true;
  if (name === '' || name === 'Local' || !IANAZone.isValidZone(name)) return false;
  return hasExactCase(name);
}

/**
 * `Intl` takes names in any case and offsets such as `+03:00`; tz data has one spelling. A link is spelt right when each
 * of its parts is: capitals begin words, but for the all-capital abbreviations and a few particles.
 */
function hasExactCase(name: string): boolean {
  if (!/^[A-Z][A-Za-z0-9_+/-]*$/.test(name)) return false;
  const abbreviation = /^[A-Z]{1,4}(\d[A-Z]{3})?([+-]?\d{1,2})?$/;
  const word = /^(?:[A-Z][A-Za-z]*[a-z]|[A-Z]|of|es|au)$/;
  return name
    .split('/')
    .every((part) => abbreviation.test(part) || part.split(/[_-]/).every((each) => word.test(each)));
}

/** The zone of a name that `isTimeZone` accepts. Throws for any other. */
export function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known) return known;
  if (!isTimeZone(name)) throw new Error(`unknown time zone ${name}`);
  const iana = IANAZone.create(name);
  const zone: Zone = { name, offsetMs: remembered((atMs) => Math.round(iana.offset(atMs) * 60_000)) };
  zones.set(name, zone);
  return zone;
}

const HOUR_MS = 3_600_000;
/** Hours remembered for each zone. */
const REMEMBERED = 1_024;

/**
 * Each answer costs tens of microseconds, and schedules of one zone ask for the same hours. No zone has changed its clock
 * twice within an hour: where both ends of one have the same offset, all of it has.
 */
function remembered(offsetMs: Zone['offsetMs']): Zone['offsetMs'] {
  const offsets = new Map<number, number>();
  const atHour = (hour: number): number => {
    const known = offsets.get(hour);
    if (known !== undefined) return known;
    const offset = offsetMs(hour * HOUR_MS);
    if (offsets.size >= REMEMBERED) offsets.clear();
    offsets.set(hour, offset);
    return offset;
  };
  return (atMs) => {
    const hour = Math.floor(atMs / HOUR_MS);
    const offset = atHour(hour);
    return offset === atHour(hour + 1) ? offset : offsetMs(atMs);
  };
}

let local: Zone | undefined;

/** The process's own zone, read once: asking for it is dear. */
export const localZone = (): Zone => (local ??= zoneOf(Intl.DateTimeFormat().resolvedOptions().timeZone));
