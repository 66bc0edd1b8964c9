/** Set of rows of numbers. Rows are compared exactly, so a hash collision never makes two states equal. */
export interface StateTable {
  readonly size: number;
  /** Adds a row. Returns its number, and true if the row is new. */
  add(row: readonly number[]): { readonly id: number; readonly isNew: boolean };
  /** Returns the number of a row; -1 if it was never added. */
  find(row: readonly number[]): number;
  row(id: number): Int32Array;
}

export function createStateTable(width: number): StateTable {
  let rows = new Int32Array(width * 1024);
  let slots = new Int32Array(4096).fill(-1);
  let size = 0;

  const hash = (row: ArrayLike<number>, from: number): number => {
    let sum = 0x811c9dc5;
    for (let at = 0; at < width; at++) {
      sum = Math.imul(sum ^ (row[from + at] ?? 0), 0x01000193);
      sum ^= sum >>> 15;
    }
    return sum >>> 0;
  };
  const isAt = (id: number, row: readonly number[]): boolean => {
    for (let at = 0; at < width; at++) if (rows[id * width + at] !== row[at]) return false;
    return true;
  };
  const grow = (): void => {
    slots = new Int32Array(slots.length * 2).fill(-1);
    for (let id = 0; id < size; id++) {
      let slot = hash(rows, id * width) & (slots.length - 1);
      while (slots[slot] !== -1) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = id;
    }
  };
  /** Returns the slot of a row, or the free slot for it. */
  const slotOf = (row: readonly number[]): number => {
    if (row.length !== width) throw new Error(`a row has ${row.length} numbers, expected ${width}`);
    let slot = hash(row, 0) & (slots.length - 1);
    for (let id = slots[slot] ?? -1; id !== -1 && !isAt(id, row); id = slots[slot] ?? -1)
      slot = (slot + 1) & (slots.length - 1);
    return slot;
  };
  return {
    get size() {
      return size;
    },
    find: (row) => slots[slotOf(row)] ?? -1,
    add(row) {
      const slot = slotOf(row);
      const known = slots[slot] ?? -1;
      if (known !== -1) return { id: known, isNew: false };
      if ((size + 1) * width > rows.length) {
        const larger = new Int32Array(rows.length * 2);
        larger.set(rows);
        rows = larger;
      }
      rows.set(row, size * width);
      slots[slot] = size;
      size += 1;
      if (size * 2 > slots.length) grow();
      return { id: size - 1, isNew: true };
    },
    row: (id) => rows.subarray(id * width, (id + 1) * width),
  };
}

/** Creates a compact list of integers. A read beyond its end returns -1. */
export function createNumberList() {
  let numbers = new Int32Array(1024);
  let length = 0;
  const set = (index: number, number: number): void => {
    if (index === numbers.length) {
      const larger = new Int32Array(numbers.length * 2);
      larger.set(numbers);
      numbers = larger;
    }
    numbers[index] = number;
    if (index >= length) length = index + 1;
  };
  return {
    get length() {
      return length;
    },
    push: (number: number): void => set(length, number),
    /** Replaces a number, or appends one at the end of the list. */
    set,
    at: (index: number): number => numbers[index] ?? -1,
  };
}
