document.querySelectorAll("table.sortable").forEach((table) => {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[place].dataset.sort;
      const compare = (a, b) => {
        const [x, y] = [key(a), key(b)];
        if (x === undefined || y === undefined) {
          return a.cells[place].textContent.localeCompare(b.cells[place].textContent);
        }
        return (x === "" ? -Infinity : Number(x)) - (y === "" ? -Infinity : Number(y));
      };
      const rows = [...table.tBodies[0].rows].sort((a, b) => (down ? compare(b, a) : compare(a, b)));
      table.tBodies[0].append(...rows);
    });
  });
});
