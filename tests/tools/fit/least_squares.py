"""Linear least squares in plain Python: sums of products are collected row by row and solved at the end."""

from collections.abc import Sequence


class LeastSquares:
    """Fits the weights of a linear function of some facts. The last weight is the constant."""

    def __init__(self, facts: int) -> None:
        self._size = facts + 1
        self._products = [[0.0] * self._size for _ in range(self._size)]
        self._targets = [0.0] * self._size
        self._squares = 0.0
        self.rows = 0

    def add(self, facts: Sequence[float], target: float) -> None:
        row = [*facts, 1.0]
        for place, fact in enumerate(row):
            if fact:
                products = self._products[place]
                self._targets[place] += fact * target
                for other in range(place + 1):
                    products[other] += fact * row[other]
        self._squares += target * target
        self.rows += 1

    def solve_weights(self, ridge: float = 1.0) -> list[float]:
        """Return the weights. `ridge` keeps those small that few rows say anything about."""
        size = self._size
        left = [
            [self._products[max(i, j)][min(i, j)] + (ridge if i == j and i + 1 < size else 0.0) for j in range(size)]
            + [self._targets[i]]
            for i in range(size)
        ]
        for column in range(size):
            pivot = max(range(column, size), key=lambda line: abs(left[line][column]))
            left[column], left[pivot] = left[pivot], left[column]
            head = left[column][column] or 1.0
            for line in range(size):
                if line != column and (factor := left[line][column] / head):
                    left[line] = [one - factor * other for one, other in zip(left[line], left[column], strict=True)]
        return [left[line][size] / (left[line][line] or 1.0) for line in range(size)]

    def compute_explained_share(self, weights: Sequence[float]) -> float:
        """Return the share of the variance that these weights explain, on the rows they were fitted to."""
        size, rows = self._size, max(1, self.rows)
        error = self._squares - 2 * sum(one * other for one, other in zip(weights, self._targets, strict=True))
        error += sum(
            weights[i] * weights[j] * self._products[max(i, j)][min(i, j)] for i in range(size) for j in range(size)
        )
        variance = self._squares - self._targets[-1] ** 2 / rows
        return 1 - error / variance if variance else 0.0
