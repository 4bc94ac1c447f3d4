/*
 * Shifts the clock of a process by CLOCK_SKEW_MS milliseconds. A process that is started with `--import` of this module
 * behaves as if it ran on a machine with a wrong clock. See `skewedBy`.
 */
const skew = Number(process.env.CLOCK_SKEW_MS);

globalThis.Date = new Proxy(Date, {
  apply: (machine) => new machine(machine.now() + skew).toString(),
  construct: (machine, given, target) =>
    Reflect.construct(machine, given.length === 0 ? [machine.now() + skew] : given, target),
  get: (machine, name) => (name === 'now' ? () => machine.now() + skew : Reflect.get(machine, name)),
});
