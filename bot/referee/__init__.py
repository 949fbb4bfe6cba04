"""The referee: positions, hands and totals written as text, judged by the same engine that judges play.

Text goes in, plain values come out; only `cli` knows that there is a terminal.
"""
